package io.flockgate.gateway.eventloop;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The one thread on which everything of a session happens, with its timers and its clock. Made on that thread. A server
 * has one kind of it only, so that calls cost no more than those of a final class.
 */
public abstract class EventLoop {
    private static final ThreadLocal<@Nullable EventLoop> OF_THREAD = new ThreadLocal<>();

    /** What the present turn has made ready, to be done when the outermost work of the turn is over. */
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();

    private int depth;

    /** The time of the present piece of work, once somebody has asked for it. */
    private long time;

    private boolean timeIsRead;

    EventLoop() {}

    /** The event loop of the calling thread: one for all who share the thread. */
    public static EventLoop current(Vertx vertx) {
        EventLoop loop = OF_THREAD.get();
        if (loop == null) {
            loop = new VertxEventLoop(vertx);
            OF_THREAD.set(loop);
        }
        return loop;
    }

    /** As {@link #now} of the calling thread's event loop, if it has one. From any thread. */
    public static long time() {
        EventLoop loop = OF_THREAD.get();
        return loop == null ? System.nanoTime() : loop.now();
    }

    /** Monotonic nanoseconds: compare by difference. Read once for a piece of work, as reading costs as much as a claim. */
    public final long now() {
        if (depth == 0) {
            return readClock();
        }
        if (!timeIsRead) {
            time = readClock();
            timeIsRead = true;
        }
        return time;
    }

    /** Monotonic nanoseconds at this very moment, for measuring how long a piece of work takes. */
    public abstract long readClock();

    /** Whether the calling thread is this loop's. */
    public abstract boolean isCurrent();

    /** Runs it later on this loop's thread; callable from any thread. */
    public abstract void post(Runnable task);

    /** Posts it; the future completes, on this loop's thread, when it has run. */
    public final Future<Void> run(Runnable task) {
        Promise<Void> done = Promise.promise();
        post(() -> {
            try {
                task.run();
                done.complete();
            } catch (RuntimeException e) {
                done.fail(e);
            }
        });
        return done.future();
    }

    /** Runs it once after so many milliseconds; only on this loop's thread. The number is for {@link #cancel}. */
    @CanIgnoreReturnValue
    public abstract long after(long millis, Runnable task);

    public abstract void cancel(long timer);

    /** Begins a piece of work; {@link #endWork} must follow. On this loop's thread, as {@code endWork}. */
    public final void beginWork() {
        timeIsRead &= depth > 0;
        depth++;
    }

    /**
     * Ends a piece of work. The outermost one then does what it has made ready for other sessions, and what comes of that:
     * one after the other, never within each other. A client that was granted a slot is told before the one that freed it has
     * its reply: the one has been waiting.
     */
    public final void endWork() {
        try {
            while (depth == 1 && !ready.isEmpty()) {
                timeIsRead = false;
                ready.remove().run();
            }
        } finally {
            depth--;
            if (depth == 0 && !ready.isEmpty()) {
                ready.forEach(this::post);
                ready.clear();
            }
        }
    }

    /** Runs it on this loop's thread when the present piece of work has ended, or in a turn to come. From any thread. */
    public final void afterwards(Runnable task) {
        if (isCurrent() && depth > 0) {
            ready.add(task);
        } else {
            post(task);
        }
    }
}
