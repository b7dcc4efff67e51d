package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.flood.FloodedGateway.Heap;
import io.flockgate.gateway.server.http.RawHttp;
import java.io.IOException;
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
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class BytesFloodTest {
    /** After this many replies, a gateway that accepts no more bytes will end no client. */
    private static final int MAX_QUIET = 200;

    enum Kept {
        LINES(700, "auth\n_\n" + "x".repeat(65_000)),
        /** The reply to a refused claim has more bytes than the claim. */
        REPLIES(1_300, "e\nk\n\n".repeat(2_000)),
        /** Of requests whose body never ends. */
        HEADS(1_490, RawHttp.request("POST", "/v1/sessions", header(1_900).repeat(8), "{}")),
        BODIES(60, RawHttp.request("POST", "/v1/sessions", "", "x".repeat(1_000_000))),
        ANSWERS(300, RawHttp.request("GET", "/v1/openapi.json", "", "").repeat(1_000)),
        /** The first record of a handshake. */
        RECORDS(1_300, "\26\3\1\77\0" + "x".repeat(16_000));

        /** More than the budget of 128 MB of heap has room for. */
        private final int clients;

        private final String text;

        Kept(int clients, String text) {
            this.clients = clients;
            this.text = text;
        }

        private static String header(int bytes) {
            return "X: " + "x".repeat(bytes) + "\r\n";
        }

        private int port(FloodedGateway gateway) {
            return switch (this) {
                case LINES, REPLIES, RECORDS -> gateway.port();
                case HEADS, BODIES, ANSWERS -> gateway.httpPort();
            };
        }

        /**
         * Offers more of the text. Returns the number of bytes that were sent. Texts that are kept
         * as they arrive lack their last byte.
         */
        private long offer(Crowd crowd) throws IOException {
            byte[] bytes = Crowd.bytes(text);
            return switch (this) {
                case REPLIES, ANSWERS -> crowd.offer(bytes, bytes.length);
                case LINES, HEADS, BODIES, RECORDS -> crowd.offerWithoutEnd(bytes) + crowd.read();
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void flood(Kept kept) throws Exception {
        try (FloodedGateway gateway = start(kept)) {
            gateway.withstands(kept.name(), () -> {
                try (Crowd crowd = Crowd.of(kept.port(gateway), kept.clients)) {
                    int quiet = 0;
                    while (quiet < MAX_QUIET && (quiet == 0 || crowd.open() == kept.clients)) {
                        quiet = kept.offer(crowd) == 0 ? quiet + 1 : 0;
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
