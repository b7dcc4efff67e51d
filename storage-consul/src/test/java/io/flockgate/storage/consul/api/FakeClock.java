package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. */
public final class FakeClock {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000L);

    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }
}
