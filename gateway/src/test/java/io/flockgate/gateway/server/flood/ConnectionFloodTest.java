package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Connections and sessions without end. With 128 MB of heap, connections need a lower cap than with 1 GB. */
class ConnectionFloodTest {
    private static final int MAX_CONNECTIONS = 4_000;
    private static final String CAP = "--max-connections=" + MAX_CONNECTIONS;

    @Test
    void connectionsThatWait() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(CAP)) {
            gateway.withstands("connections that wait", () -> {
                List<Socket> sockets = connections(gateway, MAX_CONNECTIONS + 1_000, "l\nhot\n1000\n");
                assertThat(stats(gateway)).contains("\"waiters\":");
                closeAll(sockets);
            });
        }
    }

    @Test
    void halfLinesBeforeTheAuthentication() throws Exception {
        String half = "auth\n_\n" + "x".repeat(65_000);
        try (FloodedGateway gateway = FloodedGateway.start(CAP)) {
            gateway.withstands("half lines", () -> closeAll(connections(gateway, 1_500, half)));
        }
    }

    @Test
    void sessionsFromTwoConnections() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start("--http-session-idle-timeout=1")) {
            gateway.withstands("sessions", () -> {
                Map<String, Integer> statuses = new TreeMap<>();
                for (int n = 0; n < 2; n++) {
                    sessions(gateway, 30_000).forEach((status, count) -> statuses.merge(status, count, Integer::sum));
                }
                assertThat(statuses).containsOnlyKeys("HTTP/1.1 200 OK", "HTTP/1.1 503 Service Unavailable");
            });
        }
    }

    /** Opens so many, and sends the text on each. A connection over the cap is closed by the gateway. */
    private static List<Socket> connections(FloodedGateway gateway, int many, String text) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < many; i++) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
            sockets.add(socket);
            try {
                socket.getOutputStream().write(bytes);
            } catch (IOException e) {
                // Closed by the gateway.
                socket.close();
            }
        }
        return sockets;
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** The statistics over HTTP, since no more connection of the line protocol is admitted. */
    private static String stats(FloodedGateway gateway) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.httpPort())) {
            socket.getOutputStream().write(request("GET", "/v1/stats", "Connection: close\r\n"));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The number of answers to requests for sessions by their status. */
    private static Map<String, Integer> sessions(FloodedGateway gateway, int many) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.httpPort())) {
            byte[] request = request("POST", "/v1/sessions", "Content-Length: 0\r\n");
            Thread unused = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < many; i++) {
                        socket.getOutputStream().write(request);
                    }
                } catch (IOException e) {
                    // The reader sees the end.
                }
            });
            Map<String, Integer> statuses = new TreeMap<>();
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (int answers = 0; answers < many; ) {
                String line = reader.readLine();
                assertThat(line).as("answer " + answers).isNotNull();
                if (line.startsWith("HTTP/1.1 ")) {
                    answers++;
                    statuses.merge(line, 1, Integer::sum);
                }
            }
            return statuses;
        }
    }

    private static byte[] request(String method, String path, String header) {
        return (method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
