package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Limits the lines that libraries log, for each of their loggers: a few at once, then one a second.
 * A client can make some libraries log a line for each connection. Thread safe.
 */
final class LibraryLines {
    /** The number of lines that a logger may write at once. */
    static final int BURST = 5;

    /** The result for a line that must not be written. */
    static final long DROP = -1;

    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1);

    /** Libraries have fewer loggers that warn. Any beyond this number share one limit. */
    private static final int MAX_LOGGERS = 1_000;

    @GuardedBy("this")
    private final Map<String, Bucket> buckets = new HashMap<>();

    private static final class Bucket {
        /** When the last of the lines that may be written now was earned. */
        private long earnedNanos;

        private int left = BURST;
        private long dropped;

        private Bucket(long now) {
            earnedNanos = now;
        }
    }

    /**
     * Counts a line.
     *
     * @param now monotonic nanoseconds
     * @return the number of lines of this logger that were dropped before this one; {@link #DROP}
     *     if this one is dropped too
     */
    synchronized long admit(String logger, long now) {
        Bucket bucket = buckets.computeIfAbsent(buckets.size() < MAX_LOGGERS ? logger : "", ignored -> new Bucket(now));
        long earned = (now - bucket.earnedNanos) / NANOS_BETWEEN;
        if (earned > 0) {
            bucket.left = (int) Math.min(BURST, bucket.left + earned);
            bucket.earnedNanos += earned * NANOS_BETWEEN;
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
