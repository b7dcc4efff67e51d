package io.flockgate.client.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualEnvironment;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The meters of leases in memory, on a manual clock. */
final class LeaseMetricsTest {
    private static final String PREFIX = "flockgate.client.lease.";

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LeaseMetrics metrics = new LeaseMetrics(2);
    private final LeaseProvider leases =
            Flockgate.provider(server, clock.environment().observer(metrics));

    @BeforeEach
    void bind() {
        metrics.bindTo(registry);
    }

    @AfterEach
    void close() {
        leases.close(Duration.ZERO);
    }

    private Lease lease(String name) {
        return leases.lease(LeaseOptions.named(name).ttl(Duration.ofSeconds(30)).build());
    }

    private Lease held(String name) {
        Lease lease = lease(name);
        done(lease.acquire());
        return lease;
    }

    private static void done(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompleted();
    }

    private double gauge(String meter, String name) {
        return registry.get(PREFIX + meter).tag("name", name).gauge().value();
    }

    private Timer timer(String meter, String outcome) {
        return registry.get(PREFIX + meter)
                .tags("name", "job", "outcome", outcome)
                .timer();
    }

    @Test
    void theGaugesFollowTheGrantsThatAreAliveThoughNoTimerHasRun() {
        Lease lease = held("job");
        clock.advance(Duration.ofSeconds(5));
        assertThat(gauge("held", "job")).isEqualTo(1);
        assertThat(gauge("remaining", "job")).isCloseTo(22, within(0.01));

        done(lease.release());
        assertThat(gauge("held", "job")).isZero();
        done(lease.acquire());
        clock.stall(Duration.ofSeconds(30));

        assertThat(gauge("held", "job")).isZero();
        assertThat(gauge("remaining", "job")).isZero();
    }

    @Test
    void acquiresRenewalsLossesAndFailuresOfHandlersAreCounted() {
        held("job").onLost(event -> {
            throw new IllegalStateException("thrown by the test");
        });
        CompletionStage<?> waiting = lease("job").acquire(Duration.ofSeconds(4));
        clock.advance(Duration.ofSeconds(4));
        done(waiting);
        clock.advance(Duration.ofSeconds(26));
        server.revoke("job");

        assertThat(timer("acquire", "granted").count()).isEqualTo(1);
        assertThat(timer("acquire", "empty").totalTime(TimeUnit.SECONDS)).isCloseTo(4, within(0.01));
        assertThat(timer("renew", "renewed").count()).isBetween(2L, 3L);
        assertThat(counter("lost", "reason", "revoked")).isEqualTo(1);
        assertThat(counter("handler.failures")).isEqualTo(1);
        assertThat(gauge("held", "job")).isZero();
    }

    private double counter(String meter, String... tags) {
        return registry.get(PREFIX + meter)
                .tag("name", "job")
                .tags(tags)
                .counter()
                .count();
    }

    @Test
    void whatEndedIsForgotten() {
        metrics.ended("job", held("job").current().orElseThrow());

        assertThat(gauge("held", "job")).as("although it is alive").isZero();
    }

    @Test
    void namesBeyondTheMaximumCountTogether() {
        held("one");
        held("two");
        Lease third = held("three");
        held("four");
        assertThat(gauge("held", LeaseMetrics.OTHER)).isEqualTo(2);

        done(third.release());

        assertThat(gauge("held", LeaseMetrics.OTHER)).isEqualTo(1);
        assertThat(registry.getMeters().stream()
                        .map(Meter::getId)
                        .map(id -> id.getTag("name"))
                        .distinct())
                .containsExactlyInAnyOrder("one", "two", LeaseMetrics.OTHER);
    }

    @Test
    void aSecondRegistryShowsWhatIsHeldAlready() {
        held("job");
        SimpleMeterRegistry late = new SimpleMeterRegistry();
        metrics.bindTo(late);

        assertThat(late.get(PREFIX + "held").tag("name", "job").gauge().value()).isEqualTo(1);
        held("other");
        assertThat(late.get(PREFIX + "held").tag("name", "other").gauge().value())
                .isEqualTo(1);
        assertThat(late.get(PREFIX + "acquire").tag("name", "other").timer().count())
                .isEqualTo(1);
    }

    @Test
    void aNegativeMaximumIsRefused() {
        assertThatThrownBy(() -> new LeaseMetrics(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
