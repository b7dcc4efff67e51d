package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The contract over the back end in memory, on a manual clock. */
final class MemoryLeaseTest extends LeaseContract {
    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());

    @Override
    protected LeaseBackend newBackend() {
        return new ManualBackend(server);
    }

    @Override
    protected LeaseEnvironment environment() {
        return clock.environment();
    }

    @Override
    protected void pass(Duration time) {
        clock.advance(time);
    }

    @Override
    protected boolean revoke(String name) {
        server.revoke(name);
        return true;
    }

    @Test
    void aNameWhoseGrantsAreOverTakesAnotherLimit() {
        LeaseProvider leases = Flockgate.provider(newBackend(), environment());
        Lease lock = leases.lease(LeaseOptions.named("both").ttl(ttl()).build());
        assertThat(get(lock.acquire())).isTrue();
        clock.stall(ttl());

        Lease semaphore =
                leases.lease(LeaseOptions.named("both").ttl(ttl()).limit(2).build());

        assertThat(get(semaphore.acquire())).isTrue();
    }
}
