package io.flockgate.gateway;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Trains the JVM's ahead-of-time cache for servers: starts one, sends it one request of each kind
 * and stops it. The launcher runs it to create the cache, which shortens later starts. {@link
 * CommandTraining} does the same for the sub-commands.
 */
final class AotTraining {
    private static final int ROUNDS = 20;
    private static final String LENGTH = "Content-Length: ";

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

    private static final List<String> PATHS = List.of(
            "/health", "/ready", "/v1/stats", "/v1/keys", "/v1/keys/key", "/metrics", "/v1/openapi.json", "/none");

    private static final List<String> POSTS = List.of(
            "/v1/locks/key {\"acquire_timeout_s\":1,\"lease_ttl_s\":9}",
            "/v1/locks/key/renew {\"token\":\"00000000000000000000000000000000\",\"lease_ttl_s\":9}",
            "/v1/locks/key/release {\"token\":\"00000000000000000000000000000000\"}",
            "/v1/locks/other/enqueue {}",
            "/v1/locks/other/wait {\"timeout_s\":1}",
            "/v1/semaphores/slots {\"limit\":3}",
            "/v1/locks/key {\"acquire\":0}");

    private AotTraining() {}

    /**
     * Trains a server without HTTP and, on request, one with it. A server without HTTP needs 10 MB
     * less with a cache that contains none either.
     *
     * @param args {@code http} to train a server with HTTP as well
     */
    public static void main(String[] args) throws IOException {
        int port = freePort();
        Main.main(new String[] {"--host", "127.0.0.1", "--port", String.valueOf(port)});
        boolean http = List.of(args).contains("http");
        int httpPort = http ? freePort() : 0;
        if (http) {
            Main.main(new String[] {"--host", "127.0.0.1", "--port", "0", "--http-port", String.valueOf(httpPort)});
        }
        for (int i = 0; i < ROUNDS; i++) {
            talkTo(port);
            if (http) {
                browse(httpPort);
            }
        }
        // The servers stop as they do after a signal.
        System.exit(0);
    }

    static int freePort() throws IOException {
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

    private static void browse(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String created = ask(socket, "POST", "/v1/sessions", "", "");
            int at = created.indexOf("\"session_id\":\"") + 14;
            String session = created.substring(at, at + 32);
            String header = "X-Dflockd-Session: " + session + "\r\n";
            for (String path : PATHS) {
                ask(socket, "GET", path, "", "");
            }
            for (String post : POSTS) {
                int space = post.indexOf(' ');
                ask(socket, "POST", post.substring(0, space), header, post.substring(space + 1));
            }
            ask(socket, "DELETE", "/v1/sessions/" + session, "", "");
        }
    }

    /** Sends one request on a connection that stays open, and returns the body of the response. */
    @CanIgnoreReturnValue
    private static String ask(Socket socket, String method, String path, String headers, String body)
            throws IOException {
        String request = method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: "
                + body.length() + "\r\n\r\n" + body;
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("no answer to " + method + " " + path);
            }
            head.append((char) next);
        }
        int at = head.indexOf(LENGTH);
        int length = at < 0
                ? 0
                : Integer.parseInt(head.substring(at + LENGTH.length(), head.indexOf("\r", at + LENGTH.length())));
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
