package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a stream on its own thread, so that no logging thread waits for the reader of the
 * stream. Thread safe.
 *
 * <ol>
 *   <li>{@link #add} puts a line into the queue. If the queue is full, it drops and counts the
 *       line.
 *   <li>The thread takes all queued lines and writes them.
 *   <li>Once the queue is half empty, it accepts lines again. The first one contains the number of
 *       dropped lines.
 *   <li>A reserve exists for the lines of operators' orders. An order takes its place there before
 *       it is carried out.
 * </ol>
 */
final class LogWriter {
    /** Maximum size of the lines in the queue and of those being written. */
    static final int MAX_BYTES = 1 << 20;

    /**
     * Maximum number of orders whose lines are queued or yet to come, in addition to {@link
     * #MAX_BYTES}. A line has at most a few kilobytes.
     */
    static final int MAX_ORDERS = 200;

    /** Added for each line, because a queue of empty lines also needs memory. */
    private static final int OVERHEAD = 32;

    private final PrintStream out;
    private final LongFunction<byte[]> droppedLine;

    @GuardedBy("this")
    private Deque<Line> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private int bytes;

    @GuardedBy("this")
    private int orders;

    @GuardedBy("this")
    private int orderLines;

    @GuardedBy("this")
    private long dropped;

    @GuardedBy("this")
    private @Nullable Thread thread;

    private static final class Line {
        private final byte[] text;

        /** Whether the line has a place in the reserve instead of room among the other lines. */
        private final boolean ofOrder;

        private Line(byte[] text, boolean ofOrder) {
            this.text = text;
            this.ofOrder = ofOrder;
        }

        private int cost() {
            return ofOrder ? 0 : text.length + OVERHEAD;
        }
    }

    /**
     * @param droppedLine makes the line that reports how many were dropped
     */
    LogWriter(PrintStream out, LongFunction<byte[]> droppedLine) {
        this.out = out;
        this.droppedLine = droppedLine;
    }

    /**
     * Counts a line as dropped if there is no room for any. Its text need not be generated then.
     * Returns whether there is none.
     */
    synchronized boolean dropUnseen() {
        boolean full = dropped > 0 && bytes + OVERHEAD > MAX_BYTES / 2;
        dropped += full ? 1 : 0;
        return full;
    }

    /** Never waits for the stream. */
    synchronized void add(byte[] line) {
        if (bytes + line.length + OVERHEAD > (dropped == 0 ? MAX_BYTES : MAX_BYTES / 2)) {
            dropped++;
            return;
        }
        tellDropped();
        put(new Line(line, false));
    }

    /**
     * Reserves a place for the line of an order, which no other line can take. Returns whether
     * there was one.
     */
    synchronized boolean reserve() {
        if (orders == MAX_ORDERS) {
            return false;
        }
        orders++;
        return true;
    }

    /** Releases a place for which no line will come. */
    synchronized void giveBack() {
        orders--;
    }

    /** Adds a line for which a place is reserved. */
    synchronized void addReserved(byte[] line) {
        orderLines++;
        put(new Line(line, true));
    }

    /**
     * Writes a line at once, without needing memory. Does nothing if other lines wait, because the
     * stream may then be full.
     */
    synchronized void writeNow(byte[] line) {
        if (isEmpty()) {
            out.write(line, 0, line.length);
            out.flush();
        }
    }

    @GuardedBy("this")
    private boolean isEmpty() {
        return bytes == 0 && orderLines == 0;
    }

    @GuardedBy("this")
    private void put(Line line) {
        queue.add(line);
        bytes += line.cost();
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("flockgate-log").start(this::run);
        }
        notifyAll();
    }

    @GuardedBy("this")
    private void tellDropped() {
        if (dropped > 0) {
            byte[] line = droppedLine.apply(dropped);
            dropped = 0;
            put(new Line(line, false));
        }
    }

    private void run() {
        while (true) {
            for (Line line : take()) {
                out.write(line.text, 0, line.text.length);
                written(line);
            }
            out.flush();
        }
    }

    private synchronized Deque<Line> take() {
        while (queue.isEmpty()) {
            try {
                wait();
            } catch (InterruptedException e) {
                // Only the end of the process ends this thread.
            }
        }
        Deque<Line> taken = queue;
        queue = new ArrayDeque<>();
        return taken;
    }

    private synchronized void written(Line line) {
        bytes -= line.cost();
        if (line.ofOrder) {
            orders--;
            orderLines--;
        }
        if (isEmpty()) {
            tellDropped();
            notifyAll();
        }
    }

    /** Waits until all lines are written, for at most this time. Returns whether they are. */
    synchronized boolean flush(long millis) {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isEmpty()) {
            long left = TimeUnit.NANOSECONDS.toMillis(giveUp - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
