package io.flockgate.gateway.config;

import io.flockgate.options.Rule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** The name of this gateway among all that share a storage. */
final class NodeName {
    static final int MAX_CHARACTERS = 128;

    static final Rule<String> RULE = Rule.of(
            "letters, digits, `.`, `_`, `:`, `-`; a letter or digit first",
            "must be 1 to " + MAX_CHARACTERS + " letters, digits, '.', '_', ':' and '-', a letter or digit first",
            text -> text.isEmpty() || isName(text));

    private static final int MAX_OF_HOST = 100;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]*");
    private static final Pattern FOREIGN = Pattern.compile("[^A-Za-z0-9._-]|^[._-]");
    private static final Path LINUX = Path.of("/proc/sys/kernel/hostname");

    private NodeName() {}

    private static boolean isName(String text) {
        return text.length() <= MAX_CHARACTERS && NAME.matcher(text).matches();
    }

    /**
     * The name of a gateway that was given none. With port 0 the system will choose a port, so the
     * name cannot contain it.
     */
    static String unnamed(String host, int port) {
        String name = FOREIGN.matcher(host.strip()).replaceAll("x");
        String cut = name.isEmpty() ? "host" : name.substring(0, Math.min(name.length(), MAX_OF_HOST));
        if (port != 0) {
            return cut + ":" + port;
        }
        // Process ids repeat among containers that share a host name.
        int random = ThreadLocalRandom.current().nextInt(0x10000);
        return cut + "-" + ProcessHandle.current().pid() + "-" + "%04x".formatted(random);
    }

    /** The host's own name, which Linux provides without a name server. */
    static String ofHost() {
        try {
            return Files.readString(LINUX);
        } catch (IOException e) {
            return asked();
        }
    }

    private static String asked() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "";
        }
    }
}
