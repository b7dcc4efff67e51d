package io.flockgate.client;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A point in time by both clocks of this process; rules for times. Pure. */
record Moment(long nanos, long wallMillis) {
    private static final long JUMP_MILLIS = 1_000;

    Moment plus(Duration time) {
        return new Moment(nanos + time.toNanos(), wallMillis + time.toMillis());
    }

    /** The time from {@code then} to this moment by the monotonic clock. */
    Duration since(Moment then) {
        return Duration.ofNanos(nanos - then.nanos);
    }

    /**
     * Whether the wall clock has run ahead since then: the host has slept, or the clock was set.
     */
    boolean hasJumpedSince(Moment then) {
        return wallMillis - then.wallMillis - since(then).toMillis() > JUMP_MILLIS;
    }

    Instant instant() {
        return Instant.ofEpochMilli(wallMillis);
    }

    /**
     * Whether both are the same moment, or both are none. The method equals of a record would take
     * a command 40 ms at its first call.
     */
    static boolean isSame(@Nullable Moment one, @Nullable Moment other) {
        return one == null
                ? other == null
                : other != null && one.nanos == other.nanos && one.wallMillis == other.wallMillis;
    }

    /** Whether this moment has come; never without one. */
    static boolean isDue(@Nullable Moment at, Moment now) {
        return at != null && !now.since(at).isNegative();
    }

    static Duration min(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    static Duration max(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** The earliest of these; null if there is none. */
    static @Nullable Moment earliest(@Nullable Moment... moments) {
        Moment first = null;
        for (Moment each : moments) {
            if (each != null && (first == null || each.since(first).isNegative())) {
                first = each;
            }
        }
        return first;
    }
}
