package io.flockgate.client.support;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses between attempts that fail: each is twice as long as the one before, up to the
 * longest. Pure.
 *
 * @param first the pause after the first failure
 * @param longest the maximum pause before variation
 */
public record Backoff(Duration first, Duration longest) {
    /** The pause after this number of consecutive failures, at least 1. */
    public Duration after(int failures) {
        Duration pause = first;
        for (int i = 1; i < failures && pause.compareTo(longest) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /** The same, varied, so that clients that failed together retry at different times. */
    public Duration after(int failures, RandomGenerator random) {
        return varied(after(failures), random);
    }

    /** A random pause between half and one and a half times this time. */
    public static Duration varied(Duration about, RandomGenerator random) {
        return Duration.ofNanos((long) (about.toNanos() * (0.5 + random.nextDouble())));
    }
}
