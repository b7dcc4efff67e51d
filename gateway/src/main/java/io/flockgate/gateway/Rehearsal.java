package io.flockgate.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Starts a server, asks it one of everything and stops it: what the JVM sees of that goes into the cache that shortens
 * later starts. Run by the launcher when it makes that cache.
 */
final class Rehearsal {
    private static final int ROUNDS = 20;

    private static final List<String> REQUESTS = List.of(
            "l\nkey\n1 9\n",
            "n\nkey\n00000000000000000000000000000000 9\n",
            "r\nkey\n00000000000000000000000000000000\n",
            "e\nother\n\n",
            "w\nother\n1\n",
            "sl\nslots\n0 3 9\n",
            "l\nkey\n0\n",
            "stats\n_\n_\n",
            "no\ncommand\n_\n",
            "ping\n_\n_\n");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        int port = freePort();
        Main.main(new String[] {"--host", "127.0.0.1", "--port", String.valueOf(port)});
        for (int i = 0; i < ROUNDS; i++) {
            talkTo(port);
        }
        // The server stops as after a signal.
        System.exit(0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void talkTo(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            OutputStream out = socket.getOutputStream();
            InputStream in = socket.getInputStream();
            for (String request : REQUESTS) {
                out.write(request.getBytes(StandardCharsets.US_ASCII));
                int reply = in.read();
                while (reply != '\n' && reply >= 0) {
                    reply = in.read();
                }
            }
        }
    }
}
