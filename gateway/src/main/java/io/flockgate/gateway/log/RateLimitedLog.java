package io.flockgate.gateway.log;

import io.flockgate.storage.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Logs a storage's failures, at most one line a second however many requests fail. Thread safe. */
public final class RateLimitedLog {
    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1);

    private final Logger log;
    private final String message;
    private final AtomicLong last;

    /** @param now monotonic nanoseconds, as in {@link #warn} */
    public RateLimitedLog(Logger log, String message, long now) {
        this.log = log;
        this.message = message;
        this.last = new AtomicLong(now - NANOS_BETWEEN);
    }

    /** Writes a line, unless one was written less than a second ago. */
    public void warn(StorageException failure, long now) {
        long before = last.get();
        if (now - before >= NANOS_BETWEEN && last.compareAndSet(before, now)) {
            log.atWarn()
                    .addKeyValue("trouble", failure.kind())
                    .addKeyValue("effect", failure.effect())
                    .addKeyValue("err", failure.getMessage())
                    .log(message);
        }
    }
}
