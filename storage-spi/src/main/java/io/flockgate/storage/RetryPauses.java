package io.flockgate.storage;

import java.util.random.RandomGenerator;

/**
 * The pauses between the attempts at something that fails: each is twice as long as the one before,
 * up to the longest. The client library has {@code Backoff} instead, because it depends on nothing.
 *
 * @param firstMillis the pause after the first failure, at least 1
 * @param longestMillis the maximum pause
 */
public record RetryPauses(long firstMillis, long longestMillis) {
    /** The pause after the given number of failures in a row, without jitter. */
    public long millisAfter(int failures) {
        long pause = firstMillis;
        for (int i = 1; i < failures && pause < longestMillis; i++) {
            pause = Math.min(2 * pause, longestMillis);
        }
        return pause;
    }

    /**
     * The pause after the given number of failures in a row, with jitter: every length from half of
     * {@link #millisAfter(int)} to the whole is equally likely. Processes that failed together
     * therefore retry at different times.
     */
    public long millisAfter(int failures, RandomGenerator random) {
        long pause = millisAfter(failures);
        return random.nextLong(pause / 2, pause + 1);
    }
}
