package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Limits the lines that clients cause: under each name, so many events of a period, usually a
 * second, have lines of their own. Further ones share one line at its end, with the details of the
 * last and their number, which is the first line of the next period. Thread safe.
 */
public final class Throttle {
    static final Executor IN_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    /** With more names, all are forgotten. */
    private static final int MAX_NAMES = 1_000;

    private final int perPeriod;
    private final Executor atEnd;

    @GuardedBy("this")
    private final Map<String, Events> byName = new HashMap<>();

    @GuardedBy("this")
    private boolean timed;

    /** The events of one name in a period. Guarded by the throttle. */
    private static final class Events {
        private int lines;

        /** The number of events that no line has counted. */
        private long waiting;

        private LongConsumer last = count -> {};

        private void share() {
            last.accept(waiting);
            waiting = 0;
            lines = 1;
        }
    }

    /** With periods of a second. */
    public Throttle(int perSecond) {
        this(perSecond, IN_A_SECOND);
    }

    /**
     * @param perPeriod the number of lines of each name
     * @param atEnd runs a task at the end of a period that begins now
     */
    public Throttle(int perPeriod, Executor atEnd) {
        this.perPeriod = perPeriod;
        this.atEnd = atEnd;
    }

    /**
     * Counts an event. Returns whether it has a line of its own, which the caller then writes.
     *
     * @param shared otherwise writes the line at the end of the period, if the event is the last;
     *     receives the number of events that it stands for
     */
    public synchronized boolean admit(String name, LongConsumer shared) {
        if (!timed) {
            timed = true;
            atEnd.execute(this::endPeriod);
        }
        if (byName.size() >= MAX_NAMES && !byName.containsKey(name)) {
            flush();
            byName.clear();
        }
        Events events = byName.computeIfAbsent(name, ignored -> new Events());
        if (events.lines < perPeriod) {
            events.lines++;
            return true;
        }
        events.waiting++;
        events.last = shared;
        return false;
    }

    /**
     * Logs an event, at once or in the line that it shares. Without the others of its period, which
     * share it too, the line has no {@code count}.
     */
    public void log(String name, String message, Supplier<LoggingEventBuilder> line) {
        LongConsumer write = count -> counted(line.get(), count).log(message);
        if (admit(name, write)) {
            write.accept(1);
        }
    }

    /** Adds the number of events to a line that stands for several. */
    static LoggingEventBuilder counted(LoggingEventBuilder line, long count) {
        return count > 1 ? line.addKeyValue("count", count) : line;
    }

    /** Warns of an event. Its name is the message. */
    public void warn(Logger log, String message, UnaryOperator<LoggingEventBuilder> details) {
        log(message, message, () -> details.apply(log.atWarn()));
    }

    /** Warns of a storage failure. Its name is the message. */
    public void warn(Logger log, String message, StorageException failure) {
        warn(
                log,
                message,
                line -> line.addKeyValue("err", failure.getMessage())
                        .addKeyValue("effect", failure.effect() == Effect.NOT_DONE ? "none" : "unknown"));
    }

    private synchronized void endPeriod() {
        flush();
        timed = !byName.isEmpty();
        if (timed) {
            atEnd.execute(this::endPeriod);
        }
    }

    /** Writes the lines that wait. */
    synchronized void flush() {
        byName.values().removeIf(events -> events.waiting == 0);
        byName.values().forEach(Events::share);
    }
}
