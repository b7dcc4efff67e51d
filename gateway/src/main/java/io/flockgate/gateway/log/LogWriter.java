package io.flockgate.gateway.log;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a stream on a thread of its own, so that nobody who logs waits for the reader of the stream. Thread safe.
 *
 * <ol>
 *   <li>{@link #add} puts a line into the queue. If the queue is full, it drops and counts the line.
 *   <li>The thread takes all lines that are there, and writes them.
 *   <li>Once the queue is half empty again, it accepts lines. The first one tells the number of lines that were dropped.
 * </ol>
 */
final class LogWriter {
    /** Of the lines in the queue and of those being written. */
    static final int MAX_BYTES = 1 << 20;

    /** Counts for each line, since a queue of empty lines needs memory too. */
    private static final int OVERHEAD = 32;

    private final PrintStream out;
    private final LongFunction<byte[]> droppedLine;
    private Deque<byte[]> queue = new ArrayDeque<>();
    private int bytes;
    private long dropped;
    private @Nullable Thread thread;

    /** @param droppedLine makes the line that tells how many were dropped */
    LogWriter(PrintStream out, LongFunction<byte[]> droppedLine) {
        this.out = out;
        this.droppedLine = droppedLine;
    }

    /** Never waits for the stream. */
    synchronized void add(byte[] line) {
        if (bytes + line.length + OVERHEAD > (dropped == 0 ? MAX_BYTES : MAX_BYTES / 2)) {
            dropped++;
            return;
        }
        tellDropped();
        put(line);
    }

    /** Writes a line at once and needs no memory, but does nothing if others wait: then the stream may be full. */
    synchronized void writeNow(byte[] line) {
        if (bytes == 0) {
            out.write(line, 0, line.length);
            out.flush();
        }
    }

    private void put(byte[] line) {
        queue.add(line);
        bytes += line.length + OVERHEAD;
        if (thread == null) {
            thread = Thread.ofPlatform().daemon().name("flockgate-log").start(this::run);
        }
        notifyAll();
    }

    private void tellDropped() {
        if (dropped > 0) {
            byte[] line = droppedLine.apply(dropped);
            dropped = 0;
            put(line);
        }
    }

    private void run() {
        while (true) {
            for (byte[] line : take()) {
                out.write(line, 0, line.length);
                written(line);
            }
            out.flush();
        }
    }

    private synchronized Deque<byte[]> take() {
        while (queue.isEmpty()) {
            try {
                wait();
            } catch (InterruptedException e) {
                // Nobody ends this thread but the end of the process.
            }
        }
        Deque<byte[]> taken = queue;
        queue = new ArrayDeque<>();
        return taken;
    }

    private synchronized void written(byte[] line) {
        bytes -= line.length + OVERHEAD;
        if (bytes == 0) {
            tellDropped();
            notifyAll();
        }
    }

    /** Waits until all lines are written, but no longer than this. Returns whether they are. */
    synchronized boolean flush(long millis) {
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (bytes > 0) {
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
