package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits the log lines under each name, because a client can cause any number of them: a few at
 * once, then one in each interval. Thread safe.
 */
public final class LineLimit {
    /** The result for a line that must not be written. */
    public static final long DROP = -1;

    /** Further names share one limit. */
    private static final int MAX_NAMES = 1_000;

    private final int burst;
    private final long nanosBetween;

    @GuardedBy("this")
    private final Map<String, Bucket> buckets = new HashMap<>();

    /**
     * @param burst the number of lines that may be written at once
     * @param between the interval between further lines
     */
    public LineLimit(int burst, Duration between) {
        this.burst = burst;
        this.nanosBetween = between.toNanos();
    }

    private static final class Bucket {
        /** When the last of the lines that may be written now was earned. */
        private long earnedNanos;

        private int left;
        private long dropped;

        private Bucket(int burst, long now) {
            left = burst;
            earnedNanos = now;
        }
    }

    /**
     * Counts a line.
     *
     * @param now monotonic nanoseconds
     * @return the number of lines under this name that were dropped before this one; {@link #DROP}
     *     if this one is dropped too
     */
    public synchronized long admit(String name, long now) {
        String shared = buckets.size() < MAX_NAMES ? name : "";
        Bucket bucket = buckets.computeIfAbsent(shared, ignored -> new Bucket(burst, now));
        long earned = (now - bucket.earnedNanos) / nanosBetween;
        if (earned > 0) {
            bucket.left = (int) Math.min(burst, bucket.left + earned);
            bucket.earnedNanos += earned * nanosBetween;
        }
        if (bucket.left == 0) {
            bucket.dropped++;
            return DROP;
        }
        bucket.left--;
        long dropped = bucket.dropped;
        bucket.dropped = 0;
        return dropped;
    }
}
