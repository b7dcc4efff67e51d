package io.flockgate.storage.memory;

import java.time.Duration;

/** Durations as nanoseconds. */
final class Nanos {
    private static final long MOST = Long.MAX_VALUE / 4;

    private Nanos() {}

    /** Cut off at 73 years, so that sums and differences of clock readings stay inside 64 bits. */
    static long of(Duration duration) {
        return duration.toSeconds() >= MOST / 1_000_000_000L ? MOST : duration.toNanos();
    }
}
