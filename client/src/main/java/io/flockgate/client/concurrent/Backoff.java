package io.flockgate.client.concurrent;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses between the attempts at something that fails: each is twice as long as the one before,
 * up to the longest. Pure.
 *
 * @param first the pause after the first failure
 * @param longest no pause is longer, but for its variation
 */
public record Backoff(Duration first, Duration longest) {
    /** The pause after this number of failures in a row, from 1 on. */
    public Duration after(int failures) {
        Duration pause = first;
        for (int i = 1; i < failures && pause.compareTo(longest) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(longest) < 0 ? pause : longest;
    }

    /** The same, varied, so that clients that failed together try again apart. */
    public Duration after(int failures, RandomGenerator random) {
        return varied(after(failures), random);
    }

    /** A pause from a half to one and a half of this time. */
    public static Duration varied(Duration about, RandomGenerator random) {
        return Duration.ofNanos((long) (about.toNanos() * (0.5 + random.nextDouble())));
    }
}
