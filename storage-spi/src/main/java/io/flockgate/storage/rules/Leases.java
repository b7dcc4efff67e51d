package io.flockgate.storage.rules;

/** Computes the ends of leases on a nanosecond clock that may wrap. */
public final class Leases {
    private static final long NANOS = 1_000_000_000;

    /** 285 years, so that the difference of two ends fits into 64 bits. */
    private static final long LONGEST_NANOS = 9_000_000_000L * NANOS;

    private Leases() {}

    /** The end of a lease of this length that begins now. */
    public static long end(long now, long seconds) {
        return now + (seconds > LONGEST_NANOS / NANOS ? LONGEST_NANOS : seconds * NANOS);
    }
}
