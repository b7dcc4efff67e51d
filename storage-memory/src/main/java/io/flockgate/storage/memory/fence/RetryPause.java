package io.flockgate.storage.memory.fence;

/** The pause after a failed attempt: doubles from the first to the longest, in milliseconds. */
record RetryPause(long firstMillis, long longestMillis) {
    static final RetryPause STANDARD = new RetryPause(100, 5_000);

    RetryPause {
        if (firstMillis < 1 || longestMillis < firstMillis) {
            throw new IllegalArgumentException("pauses must be positive and must not shrink");
        }
    }

    /** The pause after the given number of failures in a row. */
    long millisAfter(int failures) {
        long pause = firstMillis;
        for (int i = 1; i < failures && pause < longestMillis; i++) {
            pause *= 2;
        }
        return Math.min(pause, longestMillis);
    }
}
