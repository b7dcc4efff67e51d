package io.flockgate.client.tck;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import io.flockgate.client.MemoryBackend;
import java.time.Duration;

/** Two processes on one server in memory, on a manual clock. The way of the first one can be cut. */
final class TwoProcesses implements AutoCloseable {
    static final Duration TTL = Duration.ofSeconds(30);

    private final ManualEnvironment clock = new ManualEnvironment();
    private final MemoryBackend server = new MemoryBackend(clock.environment());
    private final CutBackend way = new CutBackend(server);
    private final QueueWatch myQueue = new QueueWatch(way);
    private final QueueWatch otherQueue = new QueueWatch(server);
    private final LeaseProvider mine = LeaseBackend.provider(myQueue, clock.environment());
    private final LeaseProvider other = LeaseBackend.provider(otherQueue, clock.environment());

    static LeaseOptions options(String name) {
        return LeaseOptions.named(name).ttl(TTL).build();
    }

    LeaseProvider mine() {
        return mine;
    }

    LeaseProvider other() {
        return other;
    }

    /** Claims of the first process that wait at the server. */
    QueueWatch myQueue() {
        return myQueue;
    }

    /** Claims of the second process that wait at the server. */
    QueueWatch otherQueue() {
        return otherQueue;
    }

    /** The first process reaches the server no more. */
    void cut() {
        way.cut();
    }

    void mend() {
        way.mend();
    }

    void pass(Duration time) {
        clock.advance(time);
    }

    /** An operator sets the name free; its holder hears of it. */
    void revoke(String name) {
        server.revoke(name);
    }

    /** Both clocks move, and no timer runs: this process was stopped. */
    void stall(Duration time) {
        clock.stall(time);
    }

    int timers() {
        return clock.pendingTimers();
    }

    @Override
    public void close() {
        mend();
        mine.close();
        other.close();
    }
}
