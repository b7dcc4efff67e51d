package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.TlsClients;
import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * One flood for each kind of bytes that clients can make the gateway keep, and for the work of a
 * turn. One address may have 1,500 HTTP connections.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class BytesFloodTest {
    private static final int CONNECTIONS = 2_000;
    private static final int HTTP_CONNECTIONS = 1_450;

    /** What each client sends before the next ones stall: three reads of the gateway. */
    private static final long STALL_BYTES = 24 * 1024;

    private static final String HASTY = "--read-timeout=2";
    private static final String CUT = "--write-timeout=2";
    private static final String FILLER = "x".repeat(2_500);

    @Test
    void linesThatDoNotEnd() throws Exception {
        byte[] half = Crowd.bytes("auth\n_\n" + "x".repeat(65_000));
        try (FloodedGateway gateway = FloodedGateway.start(HASTY)) {
            gateway.withstands("lines that do not end", () -> {
                try (Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                    crowd.fillOnce(half);
                    crowd.awaitEnd();
                }
            });
        }
    }

    @Test
    void linesSentAhead() throws Exception {
        byte[] frames = Crowd.bytes(
                "l\nhot\n1000\n" + LineClient.frame("ping", "_", "_").repeat(8_000));
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("lines sent ahead", () -> {
                try (LineClient client = gateway.client();
                        Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                    assertThat(client.lock("hot").token()).isNotEmpty();
                    crowd.fillOnce(frames);
                }
            });
        }
    }

    /** The reply to a refused claim has more bytes than the claim. */
    @Test
    void unreadReplies() throws Exception {
        byte[] frames = Crowd.bytes("e\nk\n\n".repeat(8_000));
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("unread replies", () -> {
                try (Crowd crowd = Crowd.of(gateway.port(), CONNECTIONS)) {
                    // There is not enough memory for the replies to all of them.
                    int unused = Polling.until(
                            () -> {
                                long ignored = crowd.offer(frames, Integer.MAX_VALUE);
                                return crowd.open();
                            },
                            open -> open < CONNECTIONS);
                    crowd.fill(frames);
                }
            });
        }
    }

    @Test
    void headsThatDoNotEnd() throws Exception {
        byte[] head = HttpTexts.HEAD_OF_MANY_LINES;
        try (FloodedGateway gateway = FloodedGateway.start(HASTY)) {
            gateway.withstands("heads that do not end", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    long unused = crowd.offer(head, head.length - 1);
                    crowd.awaitEnd();
                }
            });
        }
    }

    /** Sends byte after byte on each connection until the gateway has ended it. */
    @Test
    void slowBodies() throws Exception {
        byte[] text =
                HttpTexts.request("POST", "/v1/pre-reboot", "fleet-lock-protocol: true\r\nContent-Length: 16000\r\n");
        try (FloodedGateway gateway =
                FloodedGateway.start(HASTY, "--fleetlock-groups=default", "--fleetlock-volatile")) {
            gateway.withstands("slow bodies", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    int unused = Polling.until(
                            () -> {
                                long ignored = crowd.offer(text, 1);
                                return crowd.open();
                            },
                            open -> open == 0);
                }
            });
        }
    }

    @Test
    void requestsSentAhead() throws Exception {
        String headers = ("X: " + "x".repeat(2_000) + "\r\n").repeat(8);
        unread("requests sent ahead", HttpTexts.request("GET", "/v1/keys?" + "x".repeat(4_000), headers));
    }

    @Test
    void unreadAnswers() throws Exception {
        unread("unread answers", HttpTexts.request("GET", "/v1/openapi.json", ""));
    }

    private static void unread(String name, byte[] request) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands(name, () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    crowd.fill(request);
                }
            });
        }
    }

    /** Their clients have completed the handshake and send a record whose end never arrives. */
    @Test
    void recordsThatDoNotEnd() throws Exception {
        byte[] half = Arrays.copyOf(new byte[] {23, 3, 3, 0x40, 0}, 16_000);
        TlsClients clients = TlsClients.trusting("rsa.crt");
        try (FloodedGateway gateway = FloodedGateway.withTls()) {
            gateway.withstands("records that do not end", () -> {
                List<Socket> sockets = new ArrayList<>();
                try {
                    for (int i = 0; i < 3_000; i++) {
                        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                        sockets.add(socket);
                        LineClient unused = clients.over(socket, "TLSv1.3");
                        socket.getOutputStream().write(half);
                    }
                    // The budget is a quarter of the heap.
                    assertThat(sockets.stream().filter(BytesFloodTest::isEnded)).isNotEmpty();
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

    @Test
    void linesOfALogThatIsNotRead() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.withToken("--debug")) {
            gateway.withstandsAgain("lines of a log that is not read", () -> {
                gateway.process().stopReadingLog();
                for (int round = 0; round < 3; round++) {
                    try (Crowd crowd = Crowd.of(gateway.port(), 1_000)) {
                        byte[] guess = Crowd.bytes(LineClient.frame("auth", "_", "guess" + round + FILLER));
                        long unused = crowd.offer(guess, guess.length);
                        crowd.awaitEnd();
                    }
                }
                gateway.process().readLogAgain();
            });
        }
    }

    @Test
    void ordersWhileTheLogIsNotRead() throws Exception {
        String reason = "?reason=" + "r".repeat(250);
        byte[] orders = Crowd.bytes((FloodedGateway.post("/v1/drain" + reason, "", "")
                        + FloodedGateway.post("/v1/undrain" + reason, "", ""))
                .repeat(20));
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("orders while the log is not read", () -> {
                gateway.process().stopReadingLog();
                try (Crowd crowd = Crowd.of(gateway.httpPort(), 300)) {
                    int unused = Polling.until(
                            () -> {
                                long ignored = crowd.offer(orders, orders.length) + crowd.read();
                                return crowd.open();
                            },
                            open -> crowd.sent() > 2L * 300 * orders.length);
                    gateway.awaitRefusal("log_full");
                }
                gateway.process().readLogAgain();
            });
        }
    }

    @Test
    void namesOfMachines() throws Exception {
        int names = 4_000;
        try (FloodedGateway gateway = FloodedGateway.start("--fleetlock-groups=default", "--fleetlock-volatile")) {
            gateway.withstandsAgain("names of machines", () -> {
                try (LineClient client = gateway.http()) {
                    assertThat(Pipeline.http(client, names, i -> preReboot("x".repeat(256), i + "g".repeat(8_000))))
                            .isEqualTo(Map.of("400", names));
                    assertThat(Pipeline.http(
                                    client, names, i -> preReboot("%06d".formatted(i) + "x".repeat(250), "default")))
                            .isEqualTo(Map.of("200", 1, "409", names - 1));
                }
            });
        }
    }

    private static String preReboot(String id, String group) {
        return FloodedGateway.post(
                "/v1/pre-reboot",
                "fleet-lock-protocol: true\r\n",
                "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"" + group + "\"}}");
    }

    @Test
    void claimsOfATurn() throws Exception {
        int frames = 300_000;
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("claims of a turn", () -> {
                try (LineClient client = gateway.client()) {
                    assertThat(Pipeline.send(
                                    client,
                                    frames,
                                    i -> LineClient.frame("sl", "pool", "0 9223372036854775807 1000000000")))
                            .isEqualTo(Map.of("ok", 50_000, "error_max_holders_per_client", frames - 50_000));
                }
            });
        }
    }

    @Test
    void requestsOfATurn() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("requests of a turn", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    while (crowd.sent() < 100L * HttpTexts.TINY.length) {
                        long unused = crowd.offer(HttpTexts.TINY, 64 * 1024);
                        long unusedReplies = crowd.read();
                    }
                    assertThat(crowd.open()).isEqualTo(HTTP_CONNECTIONS);
                }
            });
        }
    }

    /**
     * Between two groups of clients that stop reading, the other clients use the buffers of all
     * reads several times, so that the reads that wait for stalled clients lie among many free
     * ones.
     */
    @Test
    @Tag("slow")
    void clientsThatStallOneAfterAnother() throws Exception {
        byte[] request = HttpTexts.request("GET", "/", "X: " + "x".repeat(1_900) + "\r\n");
        try (FloodedGateway gateway = FloodedGateway.withLittleDirectMemory("--write-timeout=300")) {
            gateway.withstands("clients that stall one after another", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), HTTP_CONNECTIONS)) {
                    for (int stalled = 0; stalled < HTTP_CONNECTIONS; stalled += 25) {
                        crowd.stall(25);
                        long wanted = crowd.sent() + (HTTP_CONNECTIONS - stalled) * STALL_BYTES;
                        int unused = Polling.until(
                                () -> {
                                    long ignored = crowd.offer(request, 16 * 1024) + crowd.read();
                                    return crowd.open();
                                },
                                open -> crowd.sent() > wanted || open < HTTP_CONNECTIONS);
                    }
                    assertThat(crowd.open()).isEqualTo(HTTP_CONNECTIONS);
                }
            });
        }
    }
}
