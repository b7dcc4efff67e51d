package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseGrant;
import io.flockgate.client.LeaseObserver;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.LostEvent;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an observer is notified of, on a manual clock. */
final class LeaseObserverTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final Recorder recorder = new Recorder();
    private final ManualBackend backend = new ManualBackend(new MemoryBackend(clock.environment()));
    private final LeaseProvider leases =
            Flockgate.provider(backend, clock.environment().observer(recorder));

    @AfterEach
    void close() {
        leases.close(Duration.ZERO);
    }

    private Lease lease() {
        return leases.lease(LeaseOptions.named("job").ttl(TTL).build());
    }

    @Test
    void anAcquireAReleaseAndACloseAreReportedInTheirOrder() {
        Lease lease = lease();
        done(lease.acquire());
        done(lease.release());
        done(lease.acquire());
        lease.close();

        String granted = "acquired job GRANTED PT0S";
        assertThat(recorder.news).containsExactly("began job", granted, "ended job", "began job", granted, "ended job");
    }

    @Test
    void contentionIsReportedWithItsTime() {
        done(lease().acquire());
        CompletionStage<?> waiting = lease().acquire(Duration.ofSeconds(5));
        clock.advance(Duration.ofSeconds(5));
        done(waiting);

        assertThat(recorder.news).contains("acquired job EMPTY PT5S");
    }

    @Test
    void aJoinedAttemptIsReportedOnce() {
        Lease holder = lease();
        done(holder.acquire());
        Lease second = lease();
        CompletionStage<?> waiting = second.acquire(Duration.ofSeconds(5));
        CompletionStage<?> joined = second.acquire(Duration.ofSeconds(5));
        done(holder.release());
        done(waiting);
        done(joined);

        assertThat(recorder.news).filteredOn(line -> line.startsWith("began")).hasSize(2);
        assertThat(recorder.news)
                .filteredOn(line -> line.startsWith("acquired"))
                .hasSize(2);
    }

    @Test
    void anUnknownResultIsReportedAsSuch() {
        backend.cut();
        lease().acquire();

        assertThat(recorder.news).containsExactly("acquired job UNKNOWN PT0S");
    }

    @Test
    void renewalsAreReportedWithTheirOutcome() {
        Lease lease = lease();
        done(lease.acquire());
        clock.advance(Duration.ofSeconds(12));
        assertThat(recorder.news).last().isEqualTo("renewed job RENEWED");

        backend.cut();
        clock.advance(Duration.ofSeconds(12));

        assertThat(recorder.news).last().isEqualTo("renewed job UNKNOWN");
    }

    @Test
    void aLossEndsTheGrantOnce() {
        Lease lease = lease();
        done(lease.acquire());
        backend.cut();
        clock.advance(TTL);
        done(lease.release());

        assertThat(recorder.news)
                .filteredOn(line -> !line.startsWith("renewed"))
                .containsExactly("began job", "acquired job GRANTED PT0S", "ended job", "lost job EXPIRED_LOCALLY");
    }

    @Test
    void aHandlerThatThrowsIsReported() {
        Lease lease = lease();
        done(lease.acquire());
        lease.onLost(event -> {
            throw new IllegalStateException("thrown by the test");
        });
        backend.cut();
        clock.advance(TTL);

        assertThat(recorder.news).last().isEqualTo("handler of job failed: thrown by the test");
    }

    @Test
    void anObserverThatThrowsChangesNothing() {
        LeaseObserver broken = new LeaseObserver() {
            @Override
            public void began(String name, LeaseGrant grant) {
                throw new IllegalStateException("thrown by the test");
            }

            @Override
            public void renewed(String name, RenewOutcome outcome, Duration time) {
                throw new AssertionError("thrown by the test");
            }
        };
        try (LeaseProvider observed = Flockgate.inMemory(clock.environment().observer(broken))) {
            Lease lease = observed.lease("job");
            done(lease.acquire());

            clock.advance(TTL.multipliedBy(2));

            assertThat(lease.checkAlive()).isTrue();
        }
    }

    private static void done(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
    }

    /** Records its notifications. */
    private static final class Recorder implements LeaseObserver {
        private final List<String> news = new ArrayList<>();

        @Override
        public void acquired(String name, AcquireOutcome outcome, Duration time) {
            news.add("acquired " + name + " " + outcome + " " + time);
        }

        @Override
        public void renewed(String name, RenewOutcome outcome, Duration time) {
            news.add("renewed " + name + " " + outcome);
        }

        @Override
        public void began(String name, LeaseGrant grant) {
            news.add("began " + name);
        }

        @Override
        public void ended(String name, LeaseGrant grant) {
            news.add("ended " + name);
        }

        @Override
        public void lost(LostEvent event) {
            news.add("lost " + event.name() + " " + event.reason());
        }

        @Override
        public void handlerFailed(String name, Throwable failure) {
            news.add("handler of " + name + " failed: " + failure.getMessage());
        }
    }
}
