package io.flockgate.cli.run;

import java.time.Duration;

/**
 * A moment by two clocks, the earlier of which counts: the monotonic clock stops while the machine
 * is suspended, and the wall clock may be set.
 *
 * @param nanos the moment in {@link System#nanoTime()}
 * @param millis the moment in {@link System#currentTimeMillis()}
 */
record Deadline(long nanos, long millis) {
    static Deadline in(Duration left) {
        return new Deadline(System.nanoTime() + left.toNanos(), System.currentTimeMillis() + left.toMillis());
    }

    /** The time left; negative if the moment is past. */
    Duration left() {
        Duration monotonic = Duration.ofNanos(nanos - System.nanoTime());
        Duration wall = Duration.ofMillis(millis - System.currentTimeMillis());
        return monotonic.compareTo(wall) < 0 ? monotonic : wall;
    }

    /** True if this is later by the monotonic clock, by more than the inaccuracy of a reading. */
    boolean isWellAfter(Deadline other) {
        return nanos - other.nanos > Duration.ofMillis(50).toNanos();
    }

    Deadline plus(Duration more) {
        return new Deadline(nanos + more.toNanos(), millis + more.toMillis());
    }
}
