package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.flood.FloodedGateway.Heap;
import io.flockgate.gateway.server.http.RawHttp;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * One flood for each kind of bytes that draws on the budget: clients make the gateway keep more
 * than a quarter of its heap, until it ends one of them for want of room.
 */
@Tag("flood")
@Order(0)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class BytesFloodTest {
    /**
     * A gateway that has accepted no byte for so long will end no client. The HTTP server ends a
     * connection half a second after it has refused the body of a request.
     */
    private static final Duration MAX_QUIET = Duration.ofSeconds(5);

    /** Each text is endless, or lacks the end with which the gateway would no longer keep it. */
    enum Kept {
        LINES(700, "auth\n_\n" + "x".repeat(65_000)),
        /** The reply to a refused claim has more bytes than the claim. */
        REPLIES(1_300, "e\nk\n\n".repeat(200_000)),
        /** Of requests whose body never ends. */
        HEADS(
                1_490,
                RawHttp.request(
                        "POST",
                        "/v1/sessions",
                        ("X: " + "x".repeat(1_900) + "\r\n").repeat(8) + "Content-Length: 2\r\n",
                        "{")),
        BODIES(60, RawHttp.request("POST", "/v1/sessions", "Content-Length: 1000000\r\n", "x".repeat(999_999))),
        ANSWERS(300, RawHttp.request("GET", "/v1/openapi.json", "", "").repeat(10_000)),
        /** The first record of a handshake. */
        RECORDS(1_300, "\26\3\1\77\0" + "x".repeat(15_999));

        /** More than the budget of 128 MB of heap has room for. */
        private final int clients;

        private final String text;

        Kept(int clients, String text) {
            this.clients = clients;
            this.text = text;
        }

        private int port(FloodedGateway gateway) {
            return switch (this) {
                case LINES, REPLIES, RECORDS -> gateway.port();
                case HEADS, BODIES, ANSWERS -> gateway.httpPort();
            };
        }

        /** Whether the gateway keeps replies that the client does not read. */
        private boolean isUnread() {
            return this == REPLIES || this == ANSWERS;
        }
    }

    @ParameterizedTest
    @EnumSource
    void flood(Kept kept) throws Exception {
        try (FloodedGateway gateway = start(kept)) {
            gateway.withstands(kept.name(), () -> {
                byte[] text = Crowd.bytes(kept.text);
                try (Crowd crowd = Crowd.of(kept.port(gateway), kept.clients)) {
                    long moved = System.nanoTime();
                    long quiet = 0;
                    while (quiet == 0 || (quiet < MAX_QUIET.toNanos() && crowd.open() == kept.clients)) {
                        long bytes = crowd.offer(text) + (kept.isUnread() ? 0 : crowd.read());
                        moved = bytes == 0 ? moved : System.nanoTime();
                        quiet = bytes == 0 ? System.nanoTime() - moved : 0;
                        gateway.ping();
                    }
                    assertThat(crowd.open())
                            .as("clients that are still connected")
                            .isLessThan(kept.clients);
                }
            });
        }
    }

    /** Without timeouts that would end a client for another reason. */
    private static FloodedGateway start(Kept kept) throws Exception {
        String[] flags = {"--read-timeout=3600", "--write-timeout=3600"};
        return kept == Kept.RECORDS ? FloodedGateway.withTls(Heap.SMALL, flags) : FloodedGateway.start(flags);
    }
}
