package io.flockgate.client.tck;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.Loss;
import io.flockgate.client.MemoryBackend;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

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
