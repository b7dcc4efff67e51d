package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs events of one kind, at most one line a second. The first event is logged at once. The line
 * for all further events of that second has the details of the last one, and their {@code count}.
 * Thread safe.
 */
public final class RateLimitedLog {
    private static final long MILLIS_BETWEEN = 1_000;

    private final Logger log;
    private final Level level;
    private final String message;
    private final LongSupplier clock;
    private final Timer timer;

    @GuardedBy("this")
    private UnaryOperator<LoggingEventBuilder> last = UnaryOperator.identity();

    @GuardedBy("this")
    private long lineAtNanos;

    @GuardedBy("this")
    private long waiting;

    /** Runs a task once, later. */
    @FunctionalInterface
    public interface Timer {
        void after(long millis, Runnable task);
    }

    /**
     * Without a timer: events that are not logged at once are counted in the line of the next
     * event.
     */
    public RateLimitedLog(Logger log, String message, LongSupplier clock) {
        this(log, message, clock, (millis, task) -> {});
    }

    /**
     * With a timer for the line of the events that are not logged at once.
     *
     * @param clock monotonic nanoseconds
     */
    public RateLimitedLog(Logger log, String message, LongSupplier clock, Timer timer) {
        this(log, Level.WARN, message, clock, timer);
    }

    private RateLimitedLog(Logger log, Level level, String message, LongSupplier clock, Timer timer) {
        this.log = log;
        this.level = level;
        this.message = message;
        this.clock = clock;
        this.timer = timer;
        this.lineAtNanos = clock.getAsLong() - TimeUnit.MILLISECONDS.toNanos(MILLIS_BETWEEN);
    }

    /** With a timer, for events that are not warnings. */
    public static RateLimitedLog atInfo(Logger log, String message, LongSupplier clock, Timer timer) {
        return new RateLimitedLog(log, Level.INFO, message, clock, timer);
    }

    public void warn(UnaryOperator<LoggingEventBuilder> details) {
        add(details);
    }

    /**
     * Logs an event.
     *
     * @param details adds the attributes of this event, now or when its line is written
     */
    public synchronized void add(UnaryOperator<LoggingEventBuilder> details) {
        last = details;
        waiting++;
        long passed = TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - lineAtNanos);
        if (passed >= MILLIS_BETWEEN) {
            write();
        } else if (waiting == 1) {
            timer.after(MILLIS_BETWEEN - passed, this::flush);
        }
    }

    /** Warns of a storage failure. */
    public void warn(StorageException failure) {
        warn(line -> line.addKeyValue("err", failure.getMessage()).addKeyValue("effect", effect(failure)));
    }

    private static String effect(StorageException failure) {
        return switch (failure.effect()) {
            case NOT_DONE -> "none";
            case UNKNOWN -> "unknown";
        };
    }

    /** Writes the line of the events that are not logged yet. */
    synchronized void flush() {
        if (waiting > 0) {
            write();
        }
    }

    @GuardedBy("this")
    private void write() {
        LoggingEventBuilder line = last.apply(log.atLevel(level));
        LoggingEventBuilder counted = waiting > 1 ? line.addKeyValue("count", waiting) : line;
        waiting = 0;
        last = UnaryOperator.identity();
        lineAtNanos = clock.getAsLong();
        counted.log(message);
    }
}
