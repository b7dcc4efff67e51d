package io.flockgate.client;

import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Seconds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The times of one lease, and the rules that keep them safe. Pure.
 *
 * <p>The server starts counting no earlier than the request is sent. If this process counts from
 * the sending, and gives up a margin earlier, it ends first, provided that the margin covers the
 * difference between the clock rates.
 */
record LeaseTiming(
        Duration ttl, Duration margin, Duration renewInterval, Duration requestTimeout, boolean looksAtWallClock) {
    static final Duration MIN_TTL = Duration.ofMillis(20);
    static final Duration MAX_TTL = Duration.ofDays(1);
    static final Duration MAX_WAIT = Duration.ofDays(365);
    private static final Duration MAX_REQUEST_TIMEOUT = Duration.ofSeconds(5);

    static LeaseTiming of(
            Duration ttl,
            @Nullable Duration margin,
            double maxDrift,
            @Nullable Duration renewInterval,
            @Nullable Duration requestTimeout,
            boolean wallClock) {
        Duration drift = Duration.ofNanos((long) Math.ceil(ttl.toNanos() * maxDrift));
        LeaseTiming timing = new LeaseTiming(
                ttl,
                margin != null ? margin : defaultMargin(ttl, drift),
                renewInterval != null ? renewInterval : ttl.dividedBy(3),
                requestTimeout != null ? requestTimeout : min(ttl.dividedBy(4), MAX_REQUEST_TIMEOUT),
                wallClock);
        timing.check(drift);
        return timing;
    }

    private static Duration defaultMargin(Duration ttl, Duration drift) {
        Duration tenth = max(Duration.ofMillis(100), min(ttl.dividedBy(10), Duration.ofSeconds(5)));
        return max(drift, min(tenth, ttl.dividedBy(4)));
    }

    private void check(Duration drift) {
        Checks.that(
                margin.compareTo(drift) >= 0,
                "safetyMargin " + Seconds.of(margin) + " does not cover maxDriftRatio, which needs "
                        + Seconds.of(drift));
        Checks.that(
                renewInterval.multipliedBy(2).compareTo(ttl) <= 0,
                "renewInterval " + Seconds.of(renewInterval) + " is more than half of the ttl " + Seconds.of(ttl));
        Checks.that(
                requestTimeout.multipliedBy(3).compareTo(ttl) <= 0,
                "requestTimeout " + Seconds.of(requestTimeout) + " is more than a third of the ttl " + Seconds.of(ttl));
        Checks.that(
                renewInterval.plus(requestTimeout).compareTo(ttl.minus(margin)) < 0,
                "a renewal after " + Seconds.of(renewInterval) + " with " + Seconds.of(requestTimeout)
                        + " for its answer does not fit into the ttl " + Seconds.of(ttl)
                        + " less the safetyMargin " + Seconds.of(margin));
    }

    /** How long the grant is alive from the sending of a confirmed request on. */
    Duration validity() {
        return ttl.minus(margin);
    }

    /**
     * The time from the sending of a request after which the server holds nothing because of it.
     * The request is in transit for at most the request timeout, or it is lost; the margin covers
     * the clock rates.
     */
    Duration longestHold() {
        return requestTimeout.plus(ttl).plus(margin);
    }

    /**
     * The pause before a renewal is sent again after this many unknown results: from a twentieth of
     * the ttl, at most a second.
     */
    Duration retryPause(int unknowns) {
        return max(Duration.ofMillis(1), new Backoff(ttl.dividedBy(20), Duration.ofSeconds(1)).after(unknowns));
    }

    static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
