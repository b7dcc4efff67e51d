package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.environment.Environment;
import java.util.concurrent.TimeUnit;

/**
 * Holds requests back after Consul has refused one because there are too many. Renewals are not
 * held back, so they are sent first. Each refusal after a pause makes the next pause longer. Thread
 * safe.
 */
final class Throttle {
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The time without a refusal after which the next pause is short again. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;

    @GuardedBy("this")
    private long until;

    @GuardedBy("this")
    private long pause;

    Throttle(Environment environment) {
        this.environment = environment;
        this.until = environment.now() - CALM_NANOS;
    }

    /** Records that Consul has refused a request because there are too many. */
    synchronized void refused() {
        long now = environment.now();
        if (now - until >= 0) {
            boolean calm = now - until >= CALM_NANOS;
            pause = calm ? SHORTEST_NANOS : Math.min(LONGEST_NANOS, 2 * Math.max(SHORTEST_NANOS / 2, pause));
            until = now + pause;
        }
    }

    private synchronized long left() {
        return until - environment.now();
    }

    /**
     * Waits until requests may be sent again.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    void await() throws InterruptedException {
        long left = left();
        if (left > 0) {
            environment.sleep(left);
        }
    }
}
