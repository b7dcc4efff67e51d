package io.flockgate.client.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.tck.ManualEnvironment;
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

    @Test
    void aServerThatGivesNoneIsDown() {
        server.close();

        Health down = health.health();

        assertThat(down.getStatus()).isEqualTo(Status.DOWN);
        assertThat(down.getDetails()).containsKey("error");
    }
}
