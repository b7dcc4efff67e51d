package io.flockgate.gateway.log;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Lets one line a second into the log, where each of very many requests would write it. Thread safe. */
public final class Throttle {
    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong last;

    /** @param now monotonic nanoseconds, as in {@link #admits} */
    public Throttle(long now) {
        last = new AtomicLong(now - NANOS_BETWEEN);
    }

    /** Whether a line may be written now. */
    public boolean admits(long now) {
        long before = last.get();
        return now - before >= NANOS_BETWEEN && last.compareAndSet(before, now);
    }
}
