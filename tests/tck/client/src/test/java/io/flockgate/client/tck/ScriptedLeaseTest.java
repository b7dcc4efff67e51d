package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * One lease over a scripted back end, on a manual clock. Its ttl is 30 s: alive for 27 s, renewed
 * after 9 to 11 s.
 */
abstract class ScriptedLeaseTest {
    static final Duration TTL = Duration.ofSeconds(30);
    static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** The wall clock counts milliseconds, and a deadline by it is rounded down. */
    static final Duration MILLISECONDS = Duration.ofMillis(3);

    static final Duration INSTANT = Duration.ofNanos(1);

    final ManualEnvironment clock = new ManualEnvironment();
    final ScriptedBackend server = new ScriptedBackend();
    final LeaseProvider leases = Flockgate.provider(server, clock.environment().observer(new Recorder()));
    final Lease lease;
    final List<LostEvent> events = new ArrayList<>();

    /** What an observer is notified of, and what it does then. */
    final Deque<String> observed = new ArrayDeque<>();

    Runnable onNews = () -> {};

    private final class Recorder implements LeaseObserver {
        private void add(String news) {
            observed.add(news);
            onNews.run();
        }

        @Override
        public void acquired(String name, AcquireOutcome outcome, Duration time) {
            add("acquired " + outcome + ":" + time.toSeconds());
        }

        @Override
        public void renewed(String name, RenewOutcome outcome, Duration time) {
            add("renewed " + outcome + ":" + time.toSeconds());
        }

        @Override
        public void began(String name, LeaseGrant grant) {
            add("began " + grant.token());
        }

        @Override
        public void ended(String name, LeaseGrant grant) {
            add("ended " + grant.token());
        }

        @Override
        public void lost(LostEvent event) {
            add("lost " + event.reason());
        }

        @Override
        public void handlerFailed(String name, Throwable failure) {
            add("failed " + failure.getMessage());
        }
    }

    ScriptedLeaseTest() {
        this("job");
    }

    ScriptedLeaseTest(String name) {
        lease = leases.lease(LeaseOptions.named(name).ttl(TTL).build());
        lease.onLost(events::add);
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    /** The value of a stage that is complete. */
    static <T> T now(CompletionStage<T> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
        return stage.toCompletableFuture().join();
    }

    /** The failure of a stage that has failed. */
    static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
            throw new AssertionError("no failure");
        } catch (CompletionException failed) {
            return Objects.requireNonNull(failed.getCause());
        }
    }

    /** Acquires the lease; the server answers at once. */
    LeaseGrant acquired(String token) {
        CompletionStage<Optional<LeaseGrant>> acquire = lease.acquireWithToken();
        server.grant(token);
        return now(acquire).orElseThrow();
    }

    /** Lets time pass until the next renewal is sent. */
    void untilRenewal() {
        int before = server.renewals.size();
        for (int i = 0; server.renewals.size() == before; i++) {
            assertThat(i).as("milliseconds without a renewal").isLessThan(30_000);
            clock.advance(Duration.ofMillis(1));
        }
    }
}
