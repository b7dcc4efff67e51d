package io.flockgate.client;

import java.time.Duration;
import java.time.Instant;

/** A point in time by both clocks of this process. */
record Moment(long nanos, long wallMillis) {
    Moment plus(Duration time) {
        return new Moment(nanos + time.toNanos(), wallMillis + time.toMillis());
    }

    /** The time from {@code then} to this moment by the monotonic clock. */
    Duration since(Moment then) {
        return Duration.ofNanos(nanos - then.nanos);
    }

    Instant instant() {
        return Instant.ofEpochMilli(wallMillis);
    }
}
