package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Resource;
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
 *   <li>The lines of operators' orders have room beside the others. An order takes its place at
 *       the {@link Gate} before it is carried out. A line has at most a few kilobytes.
 *   <li>At the end of the process, if the stream is slow, only the lines of orders are written.
 * </ol>
 */
final class LogWriter {
    /** Maximum size of the lines in the queue and of those being written. */
    static final int MAX_BYTES = 1 << 20;

    /** Added for each line, because a queue of empty lines also needs memory. */
    private static final int OVERHEAD = 32;

    private final PrintStream out;
    private final LongFunction<byte[]> droppedLine;

    @GuardedBy("this")
    private Deque<Line> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private int bytes;

    @GuardedBy("this")
    private int orderLines;

    /** Whether only lines of orders are still written, because the process is ending. */
    private volatile boolean ordersOnly;

    @GuardedBy("this")
    private long dropped;

    @GuardedBy("this")
    private @Nullable Thread thread;

    private static final class Line {
        private final byte[] text;

        /** The place of its order; null if it needs room among the other lines. */
        private final @Nullable Place place;

        private Line(byte[] text, @Nullable Place place) {
            this.text = text;
            this.place = place;
        }

        private int cost() {
            return place == null ? text.length + OVERHEAD : 0;
        }
    }

    /** The place of an order. The logging event carries it as its only argument. */
    static final class Place {
        private final Gate gate;
        private final String client;
        private boolean queued;

        private Place(Gate gate, String client) {
            this.gate = gate;
            this.client = client;
        }

        /** Takes a place for the order of a client; null if there is none. */
        static @Nullable Place take(Gate gate, String client) {
            return gate.enter(Resource.ORDER, client) == Gate.Entry.ADMITTED ? new Place(gate, client) : null;
        }

        /** Releases the place unless a line is queued for it, which releases it when written. */
        void giveBackUnlessQueued() {
            if (!queued) {
                gate.leave(Resource.ORDER, client);
            }
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
        put(new Line(line, null));
    }

    /** Adds the line of an order. To be called on the thread that uses the place. */
    synchronized void add(Place place, byte[] line) {
        place.queued = true;
        orderLines++;
        put(new Line(line, place));
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
            put(new Line(line, null));
        }
    }

    private void run() {
        while (true) {
            for (Line line : take()) {
                if (line.place != null || !ordersOnly) {
                    out.write(line.text, 0, line.text.length);
                }
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
        if (line.place != null) {
            line.place.gate.leave(Resource.ORDER, line.place.client);
            orderLines--;
        }
        if (isEmpty()) {
            tellDropped();
        }
        if (isEmpty() || (ordersOnly && orderLines == 0)) {
            notifyAll();
        }
    }

    /** Waits until all lines are written, for at most this time. Returns whether they are. */
    synchronized boolean flush(long millis) {
        return flush(millis, false);
    }

    /**
     * Waits until the lines of orders are written, for at most this time, and writes no others from
     * now on. To be called at the end, because lines of orders may be behind many others.
     */
    synchronized void flushOrders(long millis) {
        ordersOnly = true;
        boolean unused = flush(millis, true);
    }

    @GuardedBy("this")
    private boolean flush(long millis, boolean orders) {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (orders ? orderLines > 0 : !isEmpty()) {
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
