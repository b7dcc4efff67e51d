package io.flockgate.client.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualBackend;
import io.flockgate.client.tck.ManualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** The health of a server in memory. */
@Timeout(60)
final class FlockgateHealthIndicatorTest {
    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final LeaseProvider leases = Flockgate.provider(server, clock.environment());
    private final FlockgateHealthIndicator health = new FlockgateHealthIndicator(leases);

    @Test
    void aServerThatGivesALeaseIsUpAndNothingStaysHeld() {
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);
        assertThat(health.health().getStatus()).isEqualTo(Status.UP);

        assertThat(clock.pendingTimers()).isZero();
    }

    /** A claim with a wait opens a connection, and so shows that one can be opened. */
    @Test
    void theCheckClaimsAsAnApplicationDoes() {
        List<Duration> waits = new CopyOnWriteArrayList<>();
        LeaseBackend recording = new ManualBackend(server) {
            @Override
            public CompletionStage<AcquireResult> acquire(AcquireRequest request, CompletionStage<?> abandoned) {
                waits.add(request.maxWait());
                return super.acquire(request, abandoned);
            }
        };
        LeaseProvider recorded = Flockgate.provider(recording, clock.environment());

        assertThat(new FlockgateHealthIndicator(recorded).health().getStatus()).isEqualTo(Status.UP);

        assertThat(waits).singleElement().satisfies(wait -> assertThat(wait).isPositive());
    }

    @Test
    void aServerThatGivesNoneIsDown() {
        server.close();

        Health down = health.health();

        assertThat(down.getStatus()).isEqualTo(Status.DOWN);
        assertThat(down.getDetails()).containsKey("error");
    }
}
