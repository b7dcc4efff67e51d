package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import io.flockgate.testsupport.Polling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * HTTP requests that arrive slowly, in great numbers, or from clients that read no replies. One
 * address may have 1,500 connections.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class HttpFloodTest {
    private static final int CONNECTIONS = 1_450;

    /** What each client sends before the next ones stall: three reads of the gateway. */
    private static final long STALL_BYTES = 24 * 1024;

    private static final String HASTY = "--read-timeout=2";
    private static final String CUT = "--write-timeout=2";

    @Test
    void slowHeads() throws Exception {
        drip("slow heads", Crowd.bytes("GET /health HTTP/1.1\r\nHost: localhost\r\n" + "A: b\r\n".repeat(1_000)));
    }

    @Test
    void slowBodies() throws Exception {
        drip(
                "slow bodies",
                HttpTexts.request("POST", "/v1/pre-reboot", "fleet-lock-protocol: true\r\nContent-Length: 16000\r\n"));
    }

    @Test
    @Tag("slow")
    void slowChunks() throws Exception {
        String chunks = "1\r\nx\r\n".repeat(1_000);
        drip(
                "slow chunks",
                Crowd.bytes(
                        "POST /v1/pre-reboot HTTP/1.1\r\nHost: localhost\r\nfleet-lock-protocol: true\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + chunks));
    }

    /** Sends byte after byte on each connection until the gateway has ended it. */
    private static void drip(String name, byte[] text) throws Exception {
        try (FloodedGateway gateway =
                FloodedGateway.start(HASTY, "--fleetlock-groups=default", "--fleetlock-volatile")) {
            gateway.withstands(name, () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
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
    void headsOfManyLines() throws Exception {
        byte[] head = HttpTexts.HEAD_OF_MANY_LINES;
        try (FloodedGateway gateway = FloodedGateway.start(HASTY)) {
            gateway.withstands("heads of many lines", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    long unused = crowd.offer(head, head.length - 1);
                    crowd.awaitEnd();
                }
            });
        }
    }

    @Test
    void pipelinesWhoseRepliesAreRead() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("pipelines that are read", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    while (crowd.sent() < 100L * HttpTexts.TINY.length) {
                        long unused = crowd.offer(HttpTexts.TINY, 64 * 1024);
                        long unusedReplies = crowd.read();
                    }
                    assertThat(crowd.open()).isEqualTo(CONNECTIONS);
                }
            });
        }
    }

    @Test
    void pipelinesWhoseRepliesAreNotRead() throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands("pipelines that are not read", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    // If the gateway makes longer reads for busy clients, they are longest now.
                    for (int i = 0; i < 5; i++) {
                        long unused = crowd.offer(HttpTexts.TINY, 64 * 1024);
                        long unusedReplies = crowd.read();
                    }
                    crowd.fill(HttpTexts.TINY);
                    gateway.awaitAlone();
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
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    for (int stalled = 0; stalled < CONNECTIONS; stalled += 25) {
                        crowd.stall(25);
                        long wanted = crowd.sent() + (CONNECTIONS - stalled) * STALL_BYTES;
                        int unused = Polling.until(
                                () -> {
                                    long ignored = crowd.offer(request, 16 * 1024) + crowd.read();
                                    return crowd.open();
                                },
                                open -> crowd.sent() > wanted || open < CONNECTIONS);
                    }
                    assertThat(crowd.open()).isEqualTo(CONNECTIONS);
                }
            });
        }
    }

    /**
     * The gateway ends these connections, which exceed its budget or request a path without a
     * route.
     */
    @Test
    void longTargetsSentAhead() throws Exception {
        sentAhead("long targets", HttpTexts.request("GET", "/v1/keys?" + "x".repeat(16_000), ""));
    }

    @Test
    void longHeadsSentAhead() throws Exception {
        String headers = ("X: " + "x".repeat(2_000) + "\r\n").repeat(8);
        sentAhead("long heads", HttpTexts.request("GET", "/v1/keys?" + "x".repeat(4_000), headers));
    }

    @Test
    @Tag("slow")
    void longHeadsThatDoNotEnd() throws Exception {
        byte[] head = HttpTexts.request("GET", "/v1/keys?" + "x".repeat(4_000), "X: " + "x".repeat(16_000) + "\r\n");
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands("long heads that do not end", () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    long unused = Polling.until(
                            () -> crowd.offer(head, 1_000),
                            bytes -> bytes == 0 || crowd.sent() > 20L * CONNECTIONS * 1_000);
                }
            });
        }
    }

    private static void sentAhead(String name, byte[] request) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands(name, () -> {
                try (Crowd crowd = Crowd.of(gateway.httpPort(), CONNECTIONS)) {
                    crowd.fill(request);
                }
            });
        }
    }

    @Test
    void unreadDocuments() throws Exception {
        unread("unread documents", 1_200, HttpTexts.request("GET", "/v1/openapi.json", ""));
    }

    @Test
    void unreadListings() throws Exception {
        unread("unread listings", 350, HttpTexts.request("GET", "/v1/keys?limit=1000", ""));
    }

    private static void unread(String name, int connections, byte[] request) throws Exception {
        try (FloodedGateway gateway = FloodedGateway.start(CUT)) {
            gateway.withstands(name, () -> {
                try (LineClient client = Pipeline.lockAllKeys(gateway.client())) {
                    try (Crowd crowd = Crowd.of(gateway.httpPort(), connections)) {
                        crowd.fill(request);
                    }
                }
            });
        }
    }

    @Test
    void aKeyOfManyHolders() throws Exception {
        byte[] request = HttpTexts.request("GET", "/v1/keys/pool", "");
        try (FloodedGateway gateway = FloodedGateway.start()) {
            gateway.withstands("a key of 100,000 holders", () -> {
                List<LineClient> holders = new ArrayList<>();
                for (int n = 0; n < 2; n++) {
                    LineClient holder = gateway.client();
                    holders.add(holder);
                    assertThat(Pipeline.send(
                                    holder, 50_000, i -> LineClient.frame("sl", "pool", "0 200000 1000000000")))
                            .isEqualTo(Map.of("ok", 50_000));
                }
                try (Crowd crowd = Crowd.of(gateway.httpPort(), 20)) {
                    long unused = crowd.offer(request, request.length);
                    crowd.awaitBytes(20L * 5_000);
                }
                for (LineClient holder : holders) {
                    holder.close();
                }
            });
        }
    }
}
