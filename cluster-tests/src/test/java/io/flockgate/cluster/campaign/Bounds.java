package io.flockgate.cluster.campaign;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Upper bounds of durations, with room for a busy machine.
 *
 * @param ttl of the gateways' sessions
 * @param gap how long a key with waiters may stand free while nothing is wrong
 * @param recovery how long after a fault something may still be wrong
 * @param healing how long after a fault a gateway may still refuse
 * @param late how much longer than asked for an answer may take while nothing is wrong
 */
record Bounds(Duration ttl, Duration gap, Duration recovery, Duration healing, Duration late) {
    static Bounds ofTtl(Duration ttl) {
        // Consul ends sessions after twice their time, counted anew by each leader.
        Duration recovery = ttl.multipliedBy(2).plusSeconds(10);
        return new Bounds(ttl, Duration.ofSeconds(8), recovery, Duration.ofSeconds(6), Duration.ofSeconds(20));
    }

    /**
     * How long a key with waiters may stand free after Consul's last election of a leader, whatever
     * happens, but for the time in which Consul had no quorum.
     */
    Duration longestGap() {
        return recovery.plus(gap).plusSeconds(10);
    }

    static long nanos(long seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }
}
