package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;

/**
 * A moment on both clocks. While a machine is suspended, its monotonic clock stands still, and only
 * the time of day shows how much time has passed. The time of day may also have been changed, so it
 * can raise a doubt but decides nothing.
 */
record Moment(long nanos, long timeOfDay) {
    static Moment now(Environment environment) {
        return new Moment(environment.now(), environment.timeOfDay());
    }

    /** Whether this time has certainly passed between this moment and a later one. */
    boolean isOver(long nanosLater, Moment later) {
        return later.nanos - nanos >= nanosLater;
    }

    /** Whether this time may have passed between this moment and a later one. */
    boolean mayBeOver(long nanosLater, Moment later) {
        return isOver(nanosLater, later) || later.timeOfDay - timeOfDay >= nanosLater;
    }
}
