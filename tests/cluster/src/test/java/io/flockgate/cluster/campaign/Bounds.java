package io.flockgate.cluster.campaign;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Upper bounds of durations, with room for a busy machine.
 *
 * @param ttl of the gateways' sessions
 * @param gap how long a key with waiters may stay free while nothing is wrong
 * @param recovery how long after a fault something may still be wrong
 * @param healing how long after a fault a gateway may still refuse
 * @param late how much longer than requested an answer may take while nothing is wrong
 */
record Bounds(Duration ttl, Duration gap, Duration recovery, Duration healing, Duration late) {
    static Bounds ofTtl(Duration ttl) {
        // Consul ends sessions after twice their time, which each leader restarts.
        Duration recovery = ttl.multipliedBy(2).plusSeconds(10);
        return new Bounds(ttl, Duration.ofSeconds(8), recovery, Duration.ofSeconds(6), Duration.ofSeconds(20));
    }

    /**
     * How long a key with waiters may stay free after Consul's last election of a leader, whatever
     * happens, not counting the time in which Consul had no quorum.
     */
    Duration longestGap() {
        return recovery.plus(gap).plusSeconds(10);
    }

    static long nanos(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
