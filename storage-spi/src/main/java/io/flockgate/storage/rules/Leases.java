package io.flockgate.storage.rules;

/** Ends of leases on a nanosecond clock that may wrap. */
public final class Leases {
    private static final long NANOS = 1_000_000_000;

    /** 285 years; it keeps differences of two ends inside 64 bits. */
    private static final long LONGEST_NANOS = 9_000_000_000L * NANOS;

    private Leases() {}

    /** When a lease of so many seconds ends that begins now, a reading of the clock in nanoseconds. */
    public static long end(long now, long seconds) {
        return now + (seconds > LONGEST_NANOS / NANOS ? LONGEST_NANOS : seconds * NANOS);
    }
}
