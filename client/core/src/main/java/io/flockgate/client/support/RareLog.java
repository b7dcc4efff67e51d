package io.flockgate.client.support;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Logs warnings of one kind, at most a fixed number in ten seconds. The first line after omitted
 * ones says how many were omitted. Lines are written on an executor, because a logger may block,
 * for instance on standard error, and the caller may be the thread that ends leases in time. Thread
 * safe.
 */
public final class RareLog {
    private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

    private final Logger log;
    private final LongSupplier nanos;
    private final int most;
    private final Executor executor;

    /** Guarded by this object, like the fields below. */
    private long begun;

    private int logged;
    private long leftOut;

    /**
     * Nothing is logged yet.
     *
     * @param log receives the lines
     * @param nanos a monotonic clock
     * @param most the maximum number of lines in ten seconds
     * @param executor writes the lines; its tasks may block
     */
    public RareLog(Logger log, LongSupplier nanos, int most, Executor executor) {
        this.log = log;
        this.nanos = nanos;
        this.most = most;
        this.executor = executor;
        this.begun = nanos.getAsLong();
    }

    /** Logs the message, unless the maximum of lines is reached. */
    public void warn(Supplier<String> words) {
        long before = admit();
        if (before >= 0 && log.isLoggable(Level.WARNING)) {
            String more = before == 0 ? "" : " (" + before + " more since the last line like this)";
            String line = words.get();
            Threads.run(executor, () -> log.log(Level.WARNING, "{0}{1}", line, more));
        }
    }

    /**
     * The number of lines that were omitted before this one; negative if this one is omitted too.
     */
    private synchronized long admit() {
        long now = nanos.getAsLong();
        if (now - begun >= PERIOD_NANOS) {
            begun = now;
            logged = 0;
        }
        if (logged == most) {
            leftOut++;
            return -1;
        }
        logged++;
        long before = leftOut;
        leftOut = 0;
        return before;
    }
}
