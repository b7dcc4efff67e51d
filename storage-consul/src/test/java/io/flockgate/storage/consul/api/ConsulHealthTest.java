package io.flockgate.storage.consul.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ConsulHealthTest {
    private static final long PATIENCE = Duration.ofSeconds(5).toNanos();

    private final FakeClock clock = new FakeClock();
    private final ConsulHealth health = new ConsulHealth(new SystemEnvironment(clock::nanos), "tests");

    private void fail(String message) {
        health.failed(new ConsulException(FailureKind.DENIED, Effect.UNKNOWN, message));
    }

    @Test
    void aFailureIsReportedWhenPatienceIsOverUntilASuccess() {
        fail("no leader");
        clock.advance(Duration.ofSeconds(4));
        fail("still no leader");

        assertThat(health.isGood()).isFalse();
        assertThat(health.failureReason(PATIENCE)).isEmpty();
        assertThat(health.failureReason(0)).contains("Consul: still no leader");
        clock.advance(Duration.ofSeconds(1));
        assertThat(health.failureReason(PATIENCE)).contains("Consul: still no leader");

        clock.advance(Duration.ofSeconds(4));
        health.good();
        assertThat(health.isGood()).isTrue();
        assertThat(health.failureReason(0)).isEmpty();
        fail("no leader");
        assertThat(health.failureReason(PATIENCE)).isEmpty();
    }

    @Test
    void whatIsMissingIsExplainedByTheLastFailure() {
        assertThat(health.unavailable("no session")).hasMessage("no session: not connected yet");

        fail("Permission denied");
        ConsulException unavailable = health.unavailable("no session");
        assertThat(unavailable).hasMessage("no session: Permission denied");
        assertThat(unavailable.kind()).isEqualTo(FailureKind.DENIED);
        assertThat(unavailable.effect()).isEqualTo(Effect.NOT_DONE);
    }

    /** One line a minute, with the number of all failures since the previous line. */
    @Test
    void aLineHasTheNumberOfFailuresSinceTheOneBefore() {
        List<String> lines = new CopyOnWriteArrayList<>();
        ConsulHealth counting = new ConsulHealth(
                new SystemEnvironment(clock::nanos), "tests", (failure, count) -> lines.add(failure + " " + count));
        for (int second = 0; second <= 60; second++) {
            counting.failed(new ConsulException(FailureKind.DENIED, Effect.UNKNOWN, "at " + second));
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(lines).containsExactly("at 0 1", "at 60 60");
    }
}
