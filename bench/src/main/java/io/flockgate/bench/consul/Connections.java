package io.flockgate.bench.consul;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Counts the connections of this machine that the kernel lists (Linux). */
final class Connections {
    private static final String ESTABLISHED = "01";

    private Connections() {}

    /** The number of connections of a server with an IPv4 address. */
    static int established(URI server) {
        String local = hex(server);
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/tcp"))) {
            return (int) lines.map(line -> line.strip().split("\\s+", 5))
                    .filter(words -> words.length == 5 && words[1].equals(local) && words[3].equals(ESTABLISHED))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address with its last part first, and the port. */
    private static String hex(URI server) {
        try {
            byte[] address = InetAddress.getByName(server.getHost()).getAddress();
            int number = ByteBuffer.wrap(address).order(ByteOrder.LITTLE_ENDIAN).getInt();
            return String.format(Locale.ROOT, "%08X:%04X", number, server.getPort());
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }
}
