package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.testsupport.Polling;
import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator finds in the log of a service when its leases fail. */
@Timeout(60)
final class LeaseLogTest extends ScriptedLeaseTest {
    /** Other tests in this JVM log at the same time. */
    private static final String NAME = "log-test";

    private static final Logger LOGGER = Logger.getLogger("io.flockgate.client");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            String text = new SimpleFormatter().formatMessage(line);
            if (line.getLevel().intValue() >= Level.WARNING.intValue() && text.contains(NAME)) {
                lines.add(text);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    LeaseLogTest() {
        super(NAME);
    }

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void listenNoMore() {
        LOGGER.removeHandler(handler);
    }

    private long count(Predicate<String> which) {
        return lines.stream().filter(which).count();
    }

    private void failedClaim() {
        CompletionStage<Boolean> acquire = lease.acquire();
        ScriptedBackend.last(server.acquires)
                .answer()
                .completeExceptionally(
                        new LeaseUnavailableException("no server can be reached: gate-1:6388: refused", false, null));
        assertThat(failure(acquire)).isInstanceOf(LeaseUnavailableException.class);
    }

    @Test
    void claimsThatCannotReachTheirServersAreLoggedRarely() {
        for (int i = 0; i < 1000; i++) {
            failedClaim();
        }
        assertThat(lines).hasSize(1).first().asString().contains(NAME, "gate-1:6388: refused");

        clock.advance(seconds(60));
        failedClaim();

        assertThat(lines).hasSize(2).last().asString().contains("999 more");
    }

    @Test
    void aRenewalThatFailsIsLoggedWithItsCauseAndTheTimeLeft() {
        acquired("one");
        untilRenewal();
        ScriptedBackend.last(server.renewals).fail();

        assertThat(lines)
                .hasSize(1)
                .first()
                .asString()
                .contains(NAME, "renew", "failed by the test")
                .containsPattern("\\b1[0-9](\\.[0-9]+)? s\\b");

        clock.advance(seconds(5));
        assertThat(count(line -> line.contains("renew"))).isLessThan(3);
    }

    @Test
    void aGrantHasItsFenceInBothForms() {
        assertThat(acquired("one").toString()).isEqualTo("grant of log-test, fence 0000000000000001 = 1");
    }

    @Test
    void anExpiryCarriesTheLastFailure() {
        acquired("one");
        untilRenewal();
        ScriptedBackend.last(server.renewals)
                .answer()
                .completeExceptionally(new LeaseUnavailableException("no answer from gate-1:6388", true, null));
        untilRenewal();

        clock.advance(TTL);

        assertThat(events).hasSize(1);
        assertThat(events.get(0).reason()).isEqualTo(LostReason.EXPIRED_LOCALLY);
        assertThat(events.get(0).cause()).containsInstanceOf(LeaseUnavailableException.class);
        assertThat(events.get(0).message()).contains("no answer");
        assertThat(count(line -> line.contains("EXPIRED_LOCALLY") && line.contains("no answer")))
                .isEqualTo(1);
    }

    @Test
    void anExpiryWithoutAFailureHasNone() {
        acquired("one");
        clock.stall(TTL);
        assertThat(lease.checkAlive()).isFalse();
        clock.advance(INSTANT);

        assertThat(events)
                .singleElement()
                .satisfies(event -> assertThat(event.cause()).isEmpty());
    }

    /** A server that accepts clients, grants their claim, and then answers nothing. */
    private static ScriptedServer silentAfterAGrant() {
        return ScriptedServer.ofConnections(client -> {
            OutputStream out = client.getOutputStream();
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            for (String answer : List.of("ok detached reasons\n", "ok " + "1".repeat(32) + " 3\n")) {
                for (int line = 0; line < 3; line++) {
                    String unused = in.readLine();
                }
                out.write(answer.getBytes(StandardCharsets.US_ASCII));
            }
            long unused = in.lines().count();
        });
    }

    @Test
    void aRenewalWithoutAnAnswerNamesOnlyTheServerThatWasAsked() {
        try (ScriptedServer asked = silentAfterAGrant();
                ScriptedServer other = silentAfterAGrant();
                LeaseProvider provider = Flockgate.connect(
                        URI.create("flockgate://127.0.0.1:" + asked.port()),
                        URI.create("flockgate://127.0.0.1:" + other.port()));
                Lease held =
                        provider.lease(LeaseOptions.named(NAME).ttl(seconds(3)).build())) {
            assertThat(held.acquire().toCompletableFuture().join()).isTrue();

            Polling.until("a failed renewal", () -> count(line -> line.contains("a renewal failed")) > 0);

            assertThat(lines.get(0))
                    .contains("no answer from 127.0.0.1:" + asked.port() + " within 0.75 s")
                    .doesNotContain(":" + other.port());
        }
    }

    @Test
    void aLossIsLoggedWithItsReasonAndManyAreAFewLines() {
        for (int i = 0; i < 500; i++) {
            acquired("token-" + i);
            ScriptedBackend.last(server.listeners).accept(Loss.of(LostReason.REVOKED, "set free by an operator"));
        }

        assertThat(lines).hasSizeBetween(1, 29).first().asString().contains(NAME, "REVOKED", "set free by an operator");
        assertThat(events).hasSize(500);
    }

    @Test
    void aClaimThatWaitsForAServerThatIsNotThereIsLoggedWhileItWaits() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        try (LeaseProvider provider = Flockgate.connect(URI.create("flockgate://127.0.0.1:" + port));
                Lease waiting = provider.lease(NAME)) {
            var unused = waiting.acquire(Duration.ofMinutes(5));

            Polling.until("a line", () -> !lines.isEmpty());
        }
        assertThat(lines.get(0)).contains(NAME).contains("127.0.0.1:" + port);
    }
}
