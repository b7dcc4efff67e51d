package io.flockgate.client;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Names of owners: the client's name, and a random part for each lease. */
final class Owners {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int MAX_HOST_LENGTH = 60;

    private Owners() {}

    /** An owner that is unique to one lease of this process and begins with the client's name. */
    static String of(String clientName) {
        return clientName + "-" + incarnation();
    }

    /**
     * Host name and process id: the client's name unless the user sets one. The host name is looked
     * up once.
     */
    static String process() {
        return ThisProcess.NAME;
    }

    private static final class ThisProcess {
        static final String NAME = host() + "-" + ProcessHandle.current().pid();
    }

    private static String incarnation() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static String host() {
        String name = System.getenv("HOSTNAME");
        String host = name != null && !name.isBlank() ? name : localHost();
        String printable = host.replaceAll("[^\\x21-\\x7e]", "_");
        return printable.substring(0, Math.min(printable.length(), MAX_HOST_LENGTH));
    }

    private static String localHost() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unnamed) {
            return "localhost";
        }
    }
}
