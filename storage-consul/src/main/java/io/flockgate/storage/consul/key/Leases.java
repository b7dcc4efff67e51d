package io.flockgate.storage.consul.key;

import java.util.concurrent.TimeUnit;

/** Ends of leases on a nanosecond clock that may wrap. */
final class Leases {
    /** 285 years; it keeps differences of two ends inside 64 bits. */
    private static final long LONGEST_NANOS = 9_000_000_000_000_000_000L;

    private Leases() {}

    static long end(long now, long seconds) {
        return now + Math.min(TimeUnit.SECONDS.toNanos(seconds), LONGEST_NANOS);
    }
}
