package io.flockgate.client.tck;

import io.flockgate.client.Flockgate;
import io.flockgate.client.Lease;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two processes on one server in memory, on a manual clock, until the end of the test. */
final class TwoProcesses implements AfterEachCallback {
    static final Duration TTL = Duration.ofSeconds(30);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    final ManualBackend myBackend = new ManualBackend(server) {
        @Override
        public void close() {
            // The server continues for the other process.
        }
    };
    final ManualBackend otherBackend = new ManualBackend(server);
    final LeaseProvider mine = Flockgate.provider(myBackend, clock.environment());
    final LeaseProvider other = Flockgate.provider(otherBackend, clock.environment());

    static LeaseOptions options(String name) {
        return LeaseOptions.named(name).ttl(TTL).build();
    }

    int pendingTimers() {
        return clock.pendingTimers();
    }

    void pass(Duration time) {
        clock.advance(time);
    }

    /** Whether a third client gets the slot, which it releases. */
    boolean isFree(String name) {
        Lease probe = other.lease(options(name));
        boolean free = probe.acquire().toCompletableFuture().join();
        probe.close();
        return free;
    }

    /** An operator frees the name, and its holder is notified. */
    void revoke(String name) {
        server.revoke(name);
    }

    /** Both clocks move, and no timer runs, as if this process had been stopped. */
    void stall(Duration time) {
        clock.stall(time);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        myBackend.mend();
        mine.close(Duration.ZERO);
        other.close(Duration.ZERO);
        server.close();
    }
}
