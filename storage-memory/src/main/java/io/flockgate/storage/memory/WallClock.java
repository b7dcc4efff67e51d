package io.flockgate.storage.memory;

import java.util.function.LongSupplier;

/**
 * Converts readings of the storage's clock to the time of day, so that one reading always gives the
 * same second. It follows the system's time of day only when that has been changed by more than a
 * second. Thread safe.
 */
final class WallClock {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long MILLI_NANOS = 1_000_000;

    private final LongSupplier nanos;
    private final LongSupplier millis;
    private volatile long offset;

    /**
     * @param nanos the storage's clock
     * @param millis the time of day in milliseconds since 1970
     */
    WallClock(LongSupplier nanos, LongSupplier millis) {
        this.nanos = nanos;
        this.millis = millis;
        this.offset = difference();
    }

    private long difference() {
        return millis.getAsLong() * MILLI_NANOS - nanos.getAsLong();
    }

    /** The second since 1970 of a reading. */
    long second(long reading) {
        long now = difference();
        if (Math.abs(now - offset) > SECOND_NANOS) {
            offset = now;
        }
        return Math.floorDiv(reading + offset, SECOND_NANOS);
    }
}
