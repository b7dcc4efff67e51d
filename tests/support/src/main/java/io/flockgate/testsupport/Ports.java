package io.flockgate.testsupport;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Finds free ports. They are below the range of the ports of outgoing connections, so that a port
 * stays free while its server restarts. If another process takes a port first, callers must try
 * again.
 */
public final class Ports {
    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 31_900;
    private static final int ATTEMPTS = 200;

    private Ports() {}

    /** The first of {@code count} adjacent ports, free for TCP and UDP on each of the addresses. */
    public static int adjacent(int count, List<String> addresses) {
        for (int i = 0; i < ATTEMPTS; i++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (addresses.stream().allMatch(address -> allFree(address, first, count))) {
                return first;
            }
        }
        throw new IllegalStateException("no " + count + " adjacent free ports on " + addresses);
    }

    private static boolean allFree(String address, int first, int count) {
        return IntStream.range(first, first + count).allMatch(port -> free(address, port));
    }

    private static boolean free(String address, int port) {
        try (ServerSocket tcp = new ServerSocket();
                DatagramSocket udp = new DatagramSocket(null)) {
            InetAddress at = InetAddress.getByName(address);
            tcp.bind(new InetSocketAddress(at, port));
            udp.bind(new InetSocketAddress(at, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
