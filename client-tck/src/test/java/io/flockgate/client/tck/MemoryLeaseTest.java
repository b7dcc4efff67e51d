package io.flockgate.client.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.client.Lease;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.Loss;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The contract over the back end in memory, on a manual clock. */
final class MemoryLeaseTest extends LeaseContract {
    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());

    @Override
    protected LeaseBackend newBackend() {
        return new Client(server);
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
        LeaseProvider leases = LeaseBackend.provider(newBackend(), environment());
        Lease lock = leases.lease(LeaseOptions.named("both").ttl(ttl()).build());
        assertThat(get(lock.acquire())).isTrue();
        clock.stall(ttl());

        Lease semaphore =
                leases.lease(LeaseOptions.named("both").ttl(ttl()).limit(2).build());

        assertThat(get(semaphore.acquire())).isTrue();
    }

    @Test
    void noTimerIsLeftWhenAllHaveReleased() {
        LeaseProvider leases = LeaseBackend.provider(newBackend(), environment());
        Lease holder = leases.lease(LeaseOptions.named("both").ttl(ttl()).build());
        Lease waiter = leases.lease(LeaseOptions.named("both").ttl(ttl()).build());
        assertThat(get(holder.acquire())).isTrue();
        CompletionStage<?> wait = waiter.acquire(ttl().multipliedBy(10));
        pass(ttl());
        get(waiter.release());
        get(wait);
        get(holder.release());

        assertThat(clock.pendingTimers()).isZero();
    }

    /** One of several clients: closing it leaves the others alone. */
    private record Client(LeaseBackend server) implements LeaseBackend {
        @Override
        public CompletionStage<AcquireResult> acquire(AcquireRequest request) {
            return server.acquire(request);
        }

        @Override
        public CompletionStage<RenewResult> renew(GrantRequest request) {
            return server.renew(request);
        }

        @Override
        public CompletionStage<ReleaseResult> release(GrantRequest request) {
            return server.release(request);
        }

        @Override
        public Subscription onLoss(GrantRequest grant, Consumer<? super Loss> listener) {
            return server.onLoss(grant, listener);
        }

        @Override
        public void check(LeaseOptions options) {
            server.check(options);
        }

        @Override
        public void close() {}
    }
}
