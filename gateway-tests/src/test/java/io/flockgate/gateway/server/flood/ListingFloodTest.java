package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.server.TokensFixture;
import io.flockgate.testsupport.GatewayLauncher;
import io.flockgate.testsupport.GatewayProcess;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Listings whose clients read nothing, with the launcher's heap. A client of another address gets
 * its listings meanwhile, and so does an operator.
 */
@Tag("flood")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("flood")
class ListingFloodTest {
    private static final int UNREAD = 300;

    /** Nearly all the connections that one address may have. */
    private static final int CROWD = 1_450;

    private static final String LARGEST = "/v1/keys?limit=1000";

    private static final List<String> LISTINGS =
            List.of("/v1/stats", "/v1/keys", "/v1/keys/a", "/v1/gateways", "/v1/deadlocks");

    private static final Map<String, List<String>> TOKENS =
            Map.of("locker", List.of("lock:*"), "reader", List.of("read"), "ops", List.of("read", "operate"));

    /** Long enough that no unread connection is cut before the honest client has its answers. */
    private static final String UNCUT = "--write-timeout=300";

    @ParameterizedTest
    @ValueSource(strings = {"/v1/stats", LARGEST})
    void unreadListings(String path) throws Exception {
        byte[] request = HttpTexts.request("GET", path, "");
        try (FloodedGateway gateway = FloodedGateway.asLaunched(UNCUT, "--host=::")) {
            gateway.withstands("unread " + path, () -> {
                try (LineClient client = Pipeline.lockAllKeys(gateway.client());
                        Crowd crowd = Crowd.of(gateway.httpPort(), UNREAD)) {
                    crowd.fill(request);
                    for (String listing : LISTINGS) {
                        long begun = System.nanoTime();
                        String answer = gateway.getElsewhere(listing);
                        expectSoon(listing, begun);
                        assertThat(answer).startsWith(listing.endsWith("/a") ? "HTTP/1.1 404" : "HTTP/1.1 200");
                    }
                    assertThat(client.ping()).isEqualTo("ok");
                }
            });
        }
    }

    @Test
    void unreadStatistics() throws Exception {
        byte[] frames = Crowd.bytes(LineClient.frame("stats", "_", "_").repeat(10));
        try (FloodedGateway gateway = FloodedGateway.asLaunched(UNCUT, "--host=::")) {
            gateway.withstands("unread statistics", () -> {
                try (LineClient client = Pipeline.lockAllKeys(gateway.client());
                        Crowd crowd = Crowd.of(gateway.port(), UNREAD);
                        LineClient other = FloodedGateway.elsewhere(gateway.port())) {
                    long unused = crowd.offer(frames, frames.length);
                    long begun = System.nanoTime();
                    assertThat(other.ask("stats", "_", "_")).startsWith("ok {").endsWith("}");
                    expectSoon("stats", begun);
                    assertThat(client.ping()).isEqualTo("ok");
                }
            });
        }
    }

    @Test
    void unreadListingsOfATokenLeaveRoomForOperators(@TempDir Path directory) throws Exception {
        byte[] request = HttpTexts.request("GET", LARGEST, TokensFixture.bearer("reader"));
        try (GatewayProcess gateway = GatewayLauncher.ofJar(UNCUT, TokensFixture.flag(directory, TOKENS))
                        .withHttp()
                        .javaOptions("-Xmx1g")
                        .start();
                LineClient client = LineClient.connect(gateway.port())) {
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("locker")))
                    .isEqualTo("ok");
            try (LineClient holder = Pipeline.lockAllKeys(client);
                    Crowd crowd = Crowd.of(gateway.httpPort(), CROWD)) {
                long unused = crowd.offer(request, request.length);
                // The token of the crowd has all the places that a peer may have.
                assertThat(get(gateway, "reader")).startsWith("HTTP/1.1 503");
                for (int i = 0; i < 10; i++) {
                    expectKeysForOperator(gateway);
                }
                assertThat(holder.ping()).isEqualTo("ok");
            }
        }
    }

    /** Answered requests must not pile up in the event loop either. */
    @Test
    @Tag("slow")
    void listingsSentAheadWithoutEnd(@TempDir Path directory) throws Exception {
        byte[] request = HttpTexts.request("GET", LARGEST, TokensFixture.bearer("reader"));
        AtomicBoolean done = new AtomicBoolean();
        try (GatewayProcess gateway = GatewayLauncher.ofJar(UNCUT, TokensFixture.flag(directory, TOKENS))
                        .withHttp()
                        .javaOptions("-Xmx128m")
                        .start();
                LineClient client = LineClient.connect(gateway.port())) {
            assertThat(client.ask("auth", "_", TokensFixture.secretOf("locker")))
                    .isEqualTo("ok");
            try (LineClient holder = Pipeline.lockAllKeys(client);
                    Crowd crowd = Crowd.of(gateway.httpPort(), CROWD)) {
                CompletableFuture<Long> sent = CompletableFuture.supplyAsync(() -> sendAhead(crowd, request, done));
                for (int i = 0; i < 10; i++) {
                    expectKeysForOperator(gateway);
                    Thread.sleep(1000);
                }
                done.set(true);
                System.out.printf("sent ahead: %d KB%n", sent.join() / 1024);
                assertThat(holder.ping()).isEqualTo("ok");
            }
        } finally {
            done.set(true);
        }
    }

    private static long sendAhead(Crowd crowd, byte[] request, AtomicBoolean done) {
        try {
            while (!done.get()) {
                long unused = crowd.offer(request, request.length);
            }
            return crowd.sent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void expectKeysForOperator(GatewayProcess gateway) throws IOException {
        long begun = System.nanoTime();
        assertThat(get(gateway, "ops")).startsWith("HTTP/1.1 200").endsWith("}\n");
        expectSoon("keys of an operator", begun);
    }

    private static String get(GatewayProcess gateway, String token) throws IOException {
        try (LineClient http = LineClient.connect(gateway.httpPort())) {
            http.send("GET " + LARGEST + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + TokensFixture.bearer(token) + "\r\n");
            return http.rest();
        }
    }

    private static void expectSoon(String what, long begun) {
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        // For the reader of the test's output.
        System.out.printf("%s beside unread listings: %d ms%n", what, took.toMillis());
        assertThat(took).as(what).isLessThan(FloodedGateway.maxStall());
    }
}
