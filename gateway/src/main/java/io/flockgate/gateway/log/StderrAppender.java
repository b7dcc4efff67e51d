package io.flockgate.gateway.log;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintStream;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;
import org.slf4j.event.KeyValuePair;

/**
 * Writes lines on Logback's thread, so that no logging thread waits for the reader of standard
 * error.
 *
 * <ol>
 *   <li>An event goes into Logback's queue. If the queue is full, the event is dropped and counted.
 *   <li>The line of an order goes into a queue of its own, where the order has reserved a place
 *       before it was carried out. Its event in Logback's queue only wakes the thread.
 *   <li>The thread writes the lines of orders before any other, and says how many events were
 *       dropped once the queue has room again.
 *   <li>At the end of the process, if the stream is slow, only the lines of orders are written.
 * </ol>
 */
final class StderrAppender extends AsyncAppender {
    /** On the events of orders, each of which holds a place. */
    static final Marker ORDER = MarkerFactory.getDetachedMarker("order");

    static final int MAX_ORDERS = 256;
    /** The places for orders in progress, and for their lines until they are written. */
    static final Semaphore PLACES = new Semaphore(MAX_ORDERS);

    private static final int MAX_LINES = 2_048;
    private static final int MAX_OF_LIBRARY = 5;

    private final TextEncoder encoder;
    private final PrintStream stream;
    private final Runnable outOfMemory;
    private final Throttle libraries = new Throttle(MAX_OF_LIBRARY, System::nanoTime);
    private final Queue<ILoggingEvent> orders = new ArrayBlockingQueue<>(MAX_ORDERS);
    private volatile boolean ordersOnly;

    /** The events that the thread has not finished. */
    @GuardedBy("this")
    private int waiting;

    @GuardedBy("this")
    private long dropped;

    /**
     * @param outOfMemory runs when an {@link OutOfMemoryError} is logged, because libraries catch
     *     it, log it and continue
     */
    StderrAppender(LoggerContext context, TextEncoder encoder, PrintStream stream, Runnable outOfMemory) {
        this.encoder = encoder;
        this.stream = stream;
        this.outOfMemory = outOfMemory;
        setContext(context);
        setName("stderr");
        setNeverBlock(true);
        setQueueSize(MAX_LINES);
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
        if (event.getThrowableProxy() instanceof ThrowableProxy proxy && Logging.isOutOfMemory(proxy.getThrowable())) {
            outOfMemory.run();
        }
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (TextEncoder.isOfLibrary(event)) {
            libraries.add(event.getLoggerName(), count -> put(event, count - 1), count -> {});
        } else {
            put(event, 0);
        }
    }

    private synchronized void put(ILoggingEvent event, long suppressed) {
        if (suppressed > 0 && event instanceof LoggingEvent line) {
            line.addKeyValuePair(new KeyValuePair("dropped", suppressed));
        }
        if (isOrder(event)) {
            orders.add(event);
        }
        if (getRemainingCapacity() > 0) {
            super.append(event);
            waiting++;
        } else if (!isOrder(event)) {
            dropped++;
        }
    }

    private static boolean isOrder(ILoggingEvent event) {
        @Nullable List<Marker> markers = event.getMarkerList();
        return markers != null && markers.contains(ORDER);
    }

    /** Runs on Logback's thread. */
    private final class Writer extends UnsynchronizedAppenderBase<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent event) {
            try {
                for (ILoggingEvent order = orders.poll(); order != null; order = orders.poll()) {
                    write(order);
                    PLACES.release();
                }
                if (!ordersOnly) {
                    writeDropped();
                    if (!isOrder(event)) {
                        write(event);
                    }
                }
            } finally {
                written();
            }
        }
    }

    private void write(ILoggingEvent event) {
        byte[] line = encoder.encode(event);
        stream.write(line, 0, line.length);
        stream.flush();
    }

    private void writeDropped() {
        long count;
        synchronized (this) {
            count = getRemainingCapacity() > 0 ? dropped : 0;
            dropped -= count;
        }
        if (count > 0) {
            LoggingEvent event = new LoggingEvent();
            event.setLoggerName(StderrAppender.class.getName());
            event.setLevel(Level.WARN);
            event.setTimeStamp(System.currentTimeMillis());
            event.setMessage("log lines were dropped: standard error is not being read");
            event.addKeyValuePair(new KeyValuePair("count", count));
            write(event);
        }
    }

    private synchronized void written() {
        waiting--;
        notifyAll();
    }

    /** Waits until all lines are written, for at most this time. Returns whether they are. */
    synchronized boolean flush(long millis) {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        try {
            for (long left = millis; waiting > 0 && left > 0; left = millisUntil(giveUp)) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return waiting == 0;
    }

    private static long millisUntil(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime());
    }

    /** The same for the lines of orders alone. No others are written from now on. */
    void flushOrders(long millis) {
        ordersOnly = true;
        boolean unused = flush(millis);
    }

    /**
     * Writes a line at once, without needing memory. Does nothing if other lines wait, because the
     * stream may then be full.
     */
    synchronized void writeNow(byte[] line) {
        if (waiting == 0) {
            stream.write(line, 0, line.length);
            stream.flush();
        }
    }
}
