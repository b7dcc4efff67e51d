package io.flockgate.storage.memory;

import java.time.Duration;

/** Converts durations to nanoseconds. */
final class Nanos {
    private static final long MAX = Long.MAX_VALUE / 4;

    private Nanos() {}

    /** At most 73 years, so that sums and differences of clock readings fit into 64 bits. */
    static long of(Duration duration) {
        return duration.toSeconds() >= MAX / 1_000_000_000L ? MAX : duration.toNanos();
    }
}
