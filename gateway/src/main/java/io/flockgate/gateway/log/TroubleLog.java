package io.flockgate.gateway.log;

import io.flockgate.storage.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/** Warns of a storage's trouble, once a second at most, where each of very many requests would. Thread safe. */
public final class TroubleLog {
    private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(1);

    private final Logger log;
    private final String message;
    private final AtomicLong last;

    /** @param now monotonic nanoseconds, as in {@link #warn} */
    public TroubleLog(Logger log, String message, long now) {
        this.log = log;
        this.message = message;
        this.last = new AtomicLong(now - NANOS_BETWEEN);
    }

    /** Writes a line, unless one was written less than a second ago. */
    public void warn(StorageException trouble, long now) {
        long before = last.get();
        if (now - before >= NANOS_BETWEEN && last.compareAndSet(before, now)) {
            log.atWarn()
                    .addKeyValue("trouble", trouble.kind())
                    .addKeyValue("effect", trouble.effect())
                    .addKeyValue("err", trouble.getMessage())
                    .log(message);
        }
    }
}
