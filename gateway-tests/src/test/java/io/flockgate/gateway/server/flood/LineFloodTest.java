package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Clients of the line protocol, and of TLS, that say nothing, read nothing, or wait for their
 * grants too late.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class LineFloodTest {
    private static final int CONNECTIONS = 2_000;
    private static final int HTTP_CONNECTIONS = 1_450;
    private static final int ENQUEUED_KEYS = 1_000;
    private static final int ENQUEUING_CLIENTS = 50;
    private static final String KEY = "k".repeat(240);
    private static final String HASTY = "--read-timeout=2";
    private static final String CUT = "--write-timeout=2";

    @Test
    void silentClientsBeforeTheAuthentication() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.withToken(HASTY)) {
            gateway.withstands("silent clients", () -> {
                try (Crowd line = Crowd.of(gateway.port(), CONNECTIONS);
                        Crowd http = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    line.awaitEnd();
                    http.awaitEnd();
                }
            });
        }
    }

    @Test
    void handshakesThatDoNotBegin() throws Exception {
        handshakes("handshakes that do not begin", CONNECTIONS, new byte[0]);
    }

    @Test
    @Tag("slow")
    void halfHandshakes() throws Exception {
        byte[] hello = clientHello();
        handshakes("half handshakes", CONNECTIONS, Arrays.copyOf(hello, hello.length / 2));
    }

    @Test
    void handshakesThatDoNotEnd() throws Exception {
        handshakes("handshakes that do not end", 400, clientHello());
    }

    @Test
    @Tag("slow")
    void manyHandshakesThatDoNotEnd() throws Exception {
        handshakes("many handshakes that do not end", CONNECTIONS, clientHello());
    }

    /** Their clients have completed the handshake and send a record whose end never arrives. */
    @Test
    @Tag("slow")
    void recordsThatDoNotEnd() throws Exception {
        byte[] half = Arrays.copyOf(new byte[] {23, 3, 3, 0x40, 0}, 16_000);
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (FloodedGateway gateway = FloodedGateway.withTls()) {
            gateway.withstands("records that do not end", () -> {
                List<Socket> sockets = new ArrayList<>();
                try {
                    for (int i = 0; i < 1_500; i++) {
                        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                        sockets.add(socket);
                        LineClient unused = clients.over(socket, "TLSv1.3");
                        socket.getOutputStream().write(half);
                    }
                    // The memory for the records of all connections is a quarter of the heap.
                    assertThat(sockets.stream().filter(LineFloodTest::isEnded).count())
                            .isGreaterThan(300);
                } finally {
                    for (Socket socket : sockets) {
                        socket.close();
                    }
                }
            });
        }
    }

    private static boolean isEnded(Socket socket) {
        try {
            socket.setSoTimeout(10);
            while (socket.getInputStream().read() >= 0) {
                // What the server has sent after the handshake.
            }
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    private static void handshakes(String name, int connections, byte[] bytes) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.withTls(HASTY)) {
            gateway.withstands(name, () -> {
                try (Crowd line = Crowd.of(gateway.port(), connections);
                        Crowd http = Crowd.of(gateway.httpPort(), Math.min(connections, HTTP_CONNECTIONS))) {
                    long unused = line.offer(bytes, bytes.length) + http.offer(bytes, bytes.length);
                    line.awaitEnd();
                    http.awaitEnd();
                }
            });
        }
    }

    /** The first message of a client. */
    private static byte[] clientHello() throws Exception {
        SSLEngine engine = SSLContext.getDefault().createSSLEngine("localhost", 1);
        engine.setUseClientMode(true);
        engine.beginHandshake();
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        assertThat(engine.wrap(ByteBuffer.allocate(0), hello).bytesProduced()).isPositive();
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    @Test
    void unreadPings() throws Exception {
        unread("unread pings", "ping");
    }

    /** The reply to a refused claim has more bytes than the claim. */
    @Test
    void unreadRefusals() throws Exception {
        byte[] frames = Crowd.bytes("e\nk\n\n".repeat(8_000));
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("unread refusals", () -> {
                try (Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                    // There is not enough memory for the replies to all of them.
                    int unused = Polling.until(() -> openAfter(crowd, frames), open -> open < CONNECTIONS);
                    crowd.fill(frames);
                }
            });
        }
    }

    private static int openAfter(Crowd crowd, byte[] frames) throws IOException {
        long unused = crowd.offer(frames, Integer.MAX_VALUE);
        return crowd.open();
    }

    @Test
    void unreadStatistics() throws Exception {
        unread("unread statistics", "stats");
    }

    private static void unread(String name, String command) throws Exception {
        byte[] frames = Crowd.bytes(LineClient.frame(command, "_", "_").repeat(1_000));
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands(name, () -> {
                try (LineClient client = Pipeline.lockAllKeys(gateway.client())) {
                    try (Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                        crowd.fill(frames);
                    }
                }
            });
        }
    }

    /**
     * Each client enqueues, lets the lease of each grant end, and waits for it only afterwards.
     * This leaves nothing behind, so a cap on enqueued claims never refuses it.
     */
    @Test
    @Tag("slow")
    void entriesWhoseWaitHasCome() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("ended entries", () -> {
                List<LineClient> clients = new ArrayList<>();
                for (int round = 0; round < 8; round++) {
                    clients.addAll(enqueueAndWaitLate(gateway));
                }
                for (LineClient client : clients) {
                    client.close();
                }
            });
        }
    }

    private static List<LineClient> enqueueAndWaitLate(FloodedGateway gateway) throws Exception {
        List<LineClient> clients = new ArrayList<>();
        for (int i = 0; i < ENQUEUING_CLIENTS; i++) {
            LineClient client = gateway.client();
            clients.add(client);
            assertThat(Pipeline.send(client, ENQUEUED_KEYS, n -> LineClient.frame("se", KEY + n, "100000 1")))
                    .isEqualTo(Map.of("acquired", ENQUEUED_KEYS));
        }
        Thread.sleep(1_500);
        for (LineClient client : clients) {
            assertThat(Pipeline.send(client, ENQUEUED_KEYS, n -> LineClient.frame("sw", KEY + n, "0")))
                    .isEqualTo(Map.of("error_lease_expired", ENQUEUED_KEYS));
        }
        return clients;
    }
}
