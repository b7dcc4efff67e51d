package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Endless connections and sessions. A heap of 128 MB needs a lower cap on connections than one of 1
 * GB.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class ConnectionFloodTest {
    private static final int MAX_CONNECTIONS = 4_000;
    private static final int MAX_SESSIONS = 15_000;

    @Test
    void connectionsThatWait() throws Exception {
        connectionsThatWait(MAX_CONNECTIONS / 8);
    }

    @Test
    @Tag("slow")
    void manyConnectionsThatWait() throws Exception {
        connectionsThatWait(MAX_CONNECTIONS);
    }

    private static void connectionsThatWait(int cap) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start("--max-connections=" + cap)) {
            gateway.withstandsAgain("connections that wait", () -> {
                List<Socket> sockets = connections(gateway, cap + cap / 4, "l\nhot\n1000\n");
                assertThat(gateway.get("/v1/stats")).contains("\"waiters\":");
                closeAll(sockets);
            });
        }
    }

    @Test
    void halfLinesBeforeTheAuthentication() throws Exception {
        halfLinesBeforeTheAuthentication(200);
    }

    @Test
    @Tag("slow")
    void manyHalfLinesBeforeTheAuthentication() throws Exception {
        halfLinesBeforeTheAuthentication(1_500);
    }

    private static void halfLinesBeforeTheAuthentication(int many) throws Exception {
        String half = "auth\n_\n" + "x".repeat(65_000);
        try (FloodedGateway gateway = FloodedGateway.start("--max-connections=" + MAX_CONNECTIONS)) {
            gateway.withstandsAgain("half lines", () -> closeAll(connections(gateway, many, half)));
        }
    }

    @Test
    void sessionsFromTwoConnections() throws Exception {
        sessionsFromTwoConnections(MAX_SESSIONS / 4);
    }

    @Test
    @Tag("slow")
    void manySessionsFromTwoConnections() throws Exception {
        sessionsFromTwoConnections(MAX_SESSIONS);
    }

    private static void sessionsFromTwoConnections(int cap) throws Exception {
        String[] flags = {"--http-session-idle-timeout=1", "--http-max-sessions-per-ip=" + cap};
        try (FloodedGateway gateway = FloodedGateway.start(flags)) {
            gateway.withstandsAgain("sessions", () -> {
                Map<String, Integer> statuses = new TreeMap<>();
                for (int n = 0; n < 2; n++) {
                    try (LineClient client = gateway.http()) {
                        Pipeline.http(client, 2 * cap, i -> FloodedGateway.post("/v1/sessions", "", ""))
                                .forEach((status, count) -> statuses.merge(status, count, Integer::sum));
                    }
                }
                assertThat(statuses).containsOnlyKeys("200", "503");
            });
        }
    }

    /**
     * Opens {@code many} connections and sends the text on each. The gateway closes those over the
     * cap.
     */
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
}
