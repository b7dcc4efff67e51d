package io.flockgate.cluster;

import java.util.concurrent.TimeUnit;

/** Durations in seconds, as people read them. */
public final class Seconds {
    private Seconds() {}

    /** Seconds from a reading of {@link System#nanoTime} until now. */
    public static double since(long nanos) {
        return of(System.nanoTime() - nanos);
    }

    /** Nanoseconds in seconds. */
    public static double of(long nanos) {
        return nanos / (double) TimeUnit.SECONDS.toNanos(1);
    }
}
