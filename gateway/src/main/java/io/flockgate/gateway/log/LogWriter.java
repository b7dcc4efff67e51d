package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
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
 *       it is carried out. A client may have three times as many places as are free, so that a
 *       few clients cannot take all of them.
 *   <li>At the end of the process, if the stream is slow, only the lines of orders are written.
 * </ol>
 */
final class LogWriter {
    /** Maximum size of the lines in the queue and of those being written. */
    static final int MAX_BYTES = 1 << 20;

    /**
     * Maximum number of orders whose lines are queued or yet to come, in addition to {@link
     * #MAX_BYTES}. A line has at most a few kilobytes.
     */
    static final int MAX_ORDERS = 400;

    private static final int TIMES_FREE = 3;

    /** Added for each line, because a queue of empty lines also needs memory. */
    private static final int OVERHEAD = 32;

    private final PrintStream out;
    private final LongFunction<byte[]> droppedLine;

    @GuardedBy("this")
    private Deque<Line> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private int bytes;

    @GuardedBy("this")
    private int places;

    /** The number of places that each client has. */
    @GuardedBy("this")
    private final Map<String, Integer> placesOfClients = new HashMap<>();

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

        /** Its place in the reserve; null if it needs room among the other lines. */
        private final @Nullable Place place;

        private Line(byte[] text, @Nullable Place place) {
            this.text = text;
            this.place = place;
        }

        private int cost() {
            return place == null ? text.length + OVERHEAD : 0;
        }
    }

    /**
     * A place in the reserve for the line of an order. The logging event carries it as its only
     * argument.
     *
     * @param log null if the log was not set up
     */
    record Place(@Nullable LogWriter log, String client) {
        /** Releases the place, because its line is written or will not come. */
        void giveBack() {
            if (log != null) {
                log.release(this);
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

    /**
     * Reserves a place for the line of an order, which no other line can take. Returns null if
     * there is none for this client.
     */
    synchronized @Nullable Place reserve(String client) {
        int own = placesOfClients.getOrDefault(client, 0);
        if (own >= TIMES_FREE * (MAX_ORDERS - places)) {
            return null;
        }
        placesOfClients.put(client, own + 1);
        places++;
        return new Place(this, client);
    }

    private synchronized void release(Place place) {
        placesOfClients.computeIfPresent(place.client, (client, own) -> own == 1 ? null : own - 1);
        places--;
    }

    /** The number of clients that have places in the reserve. */
    synchronized int clients() {
        return placesOfClients.size();
    }

    /** Adds the line for which a place is reserved. */
    synchronized void addReserved(Place place, byte[] line) {
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
            line.place.giveBack();
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
