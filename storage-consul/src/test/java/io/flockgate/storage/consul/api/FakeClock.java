package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until it is moved. */
public final class FakeClock {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000L);
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public long nanos() {
        return nanos.get();
    }

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        listeners.forEach(Runnable::run);
    }

    void onAdvance(Runnable listener) {
        listeners.add(listener);
    }
}
