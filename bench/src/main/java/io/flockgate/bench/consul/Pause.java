package io.flockgate.bench.consul;

import java.time.Duration;

/** Waits where there is nothing to wait for but time. */
final class Pause {
    private Pause() {}

    static void millis(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    static void of(Duration time) {
        millis(time.toMillis());
    }
}
