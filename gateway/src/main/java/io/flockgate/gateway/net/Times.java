package io.flockgate.gateway.net;

import java.time.Duration;

/** Durations as nanoseconds. */
public final class Times {
    private Times() {}

    /** Limited to 146 years, because a signed 64-bit count holds no more than 292. */
    public static long nanos(Duration duration) {
        long most = Long.MAX_VALUE / 2;
        return duration.toSeconds() >= most / 1_000_000_000L ? most : duration.toNanos();
    }
}
