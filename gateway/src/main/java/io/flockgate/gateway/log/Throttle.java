package io.flockgate.gateway.log;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Limits the lines that clients cause: under each name, so many events of a second have lines of
 * their own. Further ones share one line, with the details of the last and their number. It is
 * written at the end of the second, or without a timer in place of the next event's. Thread safe.
 */
public final class Throttle {
    private static final long MILLIS_PER_SECOND = 1_000;
    /** With more names, all are forgotten. */
    private static final int MAX_NAMES = 1_000;

    private final int perSecond;
    private final LongSupplier clock;
    private final Timer timer;

    @GuardedBy("this")
    private final Map<String, Events> byName = new HashMap<>();

    /** Runs a task once, later. */
    @FunctionalInterface
    public interface Timer {
        void after(long millis, Runnable task);
    }

    /** The events of one name in a second. Guarded by the throttle. */
    private static final class Events {
        private long since;
        private int lines;
        /** The number of events that no line has counted. */
        private long waiting;

        private boolean timed;
        private LongConsumer last = count -> {};

        private Events(long since) {
            this.since = since;
        }

        private void write(LongConsumer line) {
            lines++;
            long count = waiting;
            waiting = 0;
            last = ignored -> {};
            line.accept(count);
        }
    }

    /**
     * Without a timer.
     *
     * @param perSecond the number of lines of each name
     * @param clock monotonic nanoseconds
     */
    public Throttle(int perSecond, LongSupplier clock) {
        this(perSecond, clock, (millis, task) -> {});
    }

    public Throttle(int perSecond, LongSupplier clock, Timer timer) {
        this.perSecond = perSecond;
        this.clock = clock;
        this.timer = timer;
    }

    /**
     * Counts an event, and writes its line unless it must wait. Returns whether it has written it.
     *
     * @param now writes the line at once; receives the number of events that it stands for
     * @param later the same at the end of the second, if no other event comes before that
     */
    @CanIgnoreReturnValue
    public synchronized boolean add(String name, LongConsumer now, LongConsumer later) {
        long nanos = clock.getAsLong();
        if (byName.size() >= MAX_NAMES && !byName.containsKey(name)) {
            flush();
            byName.clear();
        }
        Events events = byName.computeIfAbsent(name, ignored -> new Events(nanos));
        long passed = TimeUnit.NANOSECONDS.toMillis(nanos - events.since);
        if (passed >= MILLIS_PER_SECOND) {
            events.since = nanos;
            events.lines = 0;
        }
        events.waiting++;
        if (events.lines < perSecond) {
            events.write(now);
            return true;
        }
        events.last = later;
        if (!events.timed) {
            events.timed = true;
            timer.after(MILLIS_PER_SECOND - passed, () -> flush(events));
        }
        return false;
    }

    /** Warns of an event. Its name is the message. */
    public void warn(Logger log, String message, UnaryOperator<LoggingEventBuilder> details) {
        LongConsumer line = count -> counted(details.apply(log.atWarn()), count).log(message);
        add(message, line, line);
    }

    /** Warns of a storage failure. Its name is the message. */
    public void warn(Logger log, String message, StorageException failure) {
        String effect = switch (failure.effect()) {
            case NOT_DONE -> "none";
            case UNKNOWN -> "unknown";
        };
        warn(log, message, line -> line.addKeyValue("err", failure.getMessage()).addKeyValue("effect", effect));
    }

    /** Adds the number of events to a line that stands for several. */
    static LoggingEventBuilder counted(LoggingEventBuilder line, long count) {
        return count > 1 ? line.addKeyValue("count", count) : line;
    }

    /** Writes the lines that wait. */
    synchronized void flush() {
        byName.values().forEach(this::flush);
    }

    private synchronized void flush(Events events) {
        events.timed = false;
        if (events.waiting > 0) {
            events.since = clock.getAsLong();
            events.lines = 0;
            events.write(events.last);
        }
    }
}
