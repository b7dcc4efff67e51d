package io.flockgate.gateway.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.PrintStream;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.event.KeyValuePair;

/**
 * Writes lines on Logback's thread, so that no logging thread waits for the reader of standard
 * error.
 *
 * <ol>
 *   <li>An event goes into Logback's queue, whose last places are for the lines of orders: an order
 *       has reserved one before it was carried out. Without room, the event is dropped and counted.
 *   <li>The thread writes one event after the other, and says how many were dropped once the queue
 *       has room again.
 * </ol>
 */
final class StderrAppender extends AsyncAppender {
    /** The logger of orders, each of whose events holds a place. */
    static final String ORDERS = Audit.class.getName() + ".Order";

    static final int MAX_ORDERS = 256;
    /** The places for orders in progress, and for their lines until they are written. */
    static final Semaphore PLACES = new Semaphore(MAX_ORDERS);

    private static final String DROPPED = "log lines were dropped: standard error is not being read";
    private static final int MAX_LINES = 2_048;
    private static final int MAX_OF_LIBRARY = 5;

    private final TextEncoder encoder;
    private final PrintStream stream;
    private final Runnable outOfMemory;
    private final Throttle libraries = new Throttle(MAX_OF_LIBRARY);
    private final AtomicLong dropped = new AtomicLong();

    /**
     * @param outOfMemory see {@link Logging#start}
     */
    StderrAppender(LoggerContext context, TextEncoder encoder, PrintStream stream, Runnable outOfMemory) {
        this.encoder = encoder;
        this.stream = stream;
        this.outOfMemory = outOfMemory;
        setContext(context);
        setName("stderr");
        setNeverBlock(true);
        setQueueSize(MAX_LINES + MAX_ORDERS);
        setDiscardingThreshold(0);
        Writer writer = new Writer();
        writer.setContext(context);
        writer.start();
        addAppender(writer);
    }

    @Override
    public void doAppend(ILoggingEvent event) {
        super.doAppend(event);
        // Not within append, which would drop what the action logs.
        Throwable thrown = TextEncoder.thrown(event);
        if (thrown != null && TextEncoder.causes(thrown).stream().anyMatch(OutOfMemoryError.class::isInstance)) {
            outOfMemory.run();
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (!TextEncoder.isOfLibrary(event)
                || libraries.admit(event.getLoggerName(), count -> offer(counted(event, "dropped", count - 1)))) {
            offer(event);
        }
    }

    private static ILoggingEvent counted(ILoggingEvent event, String attribute, long count) {
        if (count > 0 && event instanceof LoggingEvent line) {
            line.addKeyValuePair(new KeyValuePair(attribute, count));
        }
        return event;
    }

    private synchronized void offer(ILoggingEvent event) {
        if (getRemainingCapacity() > (isOrder(event) ? 0 : MAX_ORDERS)) {
            super.append(event);
        } else {
            dropped.incrementAndGet();
        }
    }

    private static boolean isOrder(ILoggingEvent event) {
        return event.getLoggerName().equals(ORDERS);
    }

    /** Runs on Logback's thread. */
    private final class Writer extends UnsynchronizedAppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            try {
                writeDropped();
                write(event);
            } finally {
                if (isOrder(event)) {
                    PLACES.release();
                }
            }
        }
    }

    private void write(ILoggingEvent event) {
        byte[] line = encoder.encode(event);
        stream.write(line, 0, line.length);
        stream.flush();
    }

    private void writeDropped() {
        long count = getRemainingCapacity() > MAX_ORDERS ? dropped.getAndSet(0) : 0;
        if (count > 0) {
            Logger logger = ((LoggerContext) getContext()).getLogger(StderrAppender.class);
            write(counted(new LoggingEvent("", logger, Level.WARN, DROPPED, null, null), "count", count));
        }
    }
}
