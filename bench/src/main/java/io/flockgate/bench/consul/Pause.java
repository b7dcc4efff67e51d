package io.flockgate.bench.consul;

import io.flockgate.bench.BenchException;
import java.time.Duration;

/** Waits for a time. */
final class Pause {
    private Pause() {}

    static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw BenchException.interrupted(e);
        }
    }

    static void of(Duration time) {
        millis(time.toMillis());
    }
}
