package io.flockgate.gateway.eventloop;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One thread with its turns, timers and clock, on which everything in a session happens. Created on
 * that thread. A server has only one subclass, so that calls cost no more than those of a final
 * class.
 */
public abstract class EventLoop {
    private static final ThreadLocal<@Nullable EventLoop> OF_THREAD = new ThreadLocal<>();

    /**
     * Maximum number of tasks that run as soon as they are ready in one turn of the loop. Otherwise
     * a single frame could wake thousands of waiting clients one after another, each of which has
     * sent further frames ahead that wake the next.
     */
    private static final int READY_AT_ONCE = 32;

    /**
     * Tasks that the current piece of work has made ready. They run when the outermost piece of
     * work ends.
     */
    private final ArrayDeque<Runnable> ready = new ArrayDeque<>();

    /** The number of ready tasks that have run in this turn of the loop. */
    private int readyInTurn;

    private int depth;

    /** The time of the current piece of work, once it has been read. */
    private long time;

    private boolean timeIsRead;

    EventLoop() {}

    /** The event loop of the calling thread, shared by all callers on that thread. */
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

    /**
     * Monotonic nanoseconds: compare by difference. The clock is read once for each piece of work,
     * because a read costs as much as a claim.
     */
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

    /** Monotonic nanoseconds at this moment, for measuring how long a piece of work takes. */
    public abstract long readClock();

    /** Whether the calling thread is this loop's. */
    public abstract boolean isCurrent();

    /** The loop's thread. From any thread. */
    public abstract Thread thread();

    /** Runs the task later on this loop's thread. Callable from any thread. */
    public abstract void post(Runnable task);

    /** Posts the task. The future completes on this loop's thread when the task has run. */
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

    /**
     * Runs the task once after this many milliseconds. On this loop's thread only. The returned
     * number is for {@link #cancel}.
     */
    @CanIgnoreReturnValue
    public abstract long after(long millis, Runnable task);

    public abstract void cancel(long timer);

    /**
     * Begins a piece of work; {@link #endWork} must follow. On this loop's thread, like {@code
     * endWork}.
     */
    public final void beginWork() {
        timeIsRead &= depth > 0;
        depth++;
    }

    /**
     * Ends a piece of work. The outermost one then runs the tasks that it has made ready for other
     * sessions, and the tasks that these make ready. They run one after another, never nested, so
     * that a waiting client gets its grant before the client that freed the slot gets its reply.
     * Tasks beyond {@value #READY_AT_ONCE} in a turn of the loop run in a later one.
     */
    public final void endWork() {
        try {
            while (depth == 1 && !ready.isEmpty() && readyInTurn < READY_AT_ONCE) {
                if (readyInTurn++ == 0) {
                    post(this::turnEnded);
                }
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

    private void turnEnded() {
        readyInTurn = 0;
    }

    /**
     * Runs the task on this loop's thread, after the current piece of work or in a later turn. From
     * any thread.
     */
    public final void afterwards(Runnable task) {
        if (isCurrent() && depth > 0) {
            ready.add(task);
        } else {
            post(task);
        }
    }

    /** An event loop of Vert.x. */
    private static final class VertxEventLoop extends EventLoop {
        /**
         * Without any timer, Netty sets one for the next second at every turn, with a system call
         * each.
         */
        private static final long FAR_AWAY_MILLIS = Duration.ofDays(1).toMillis();

        private final Vertx vertx;
        private final Context context;
        private final Thread thread = Thread.currentThread();

        VertxEventLoop(Vertx vertx) {
            this.vertx = vertx;
            this.context = vertx.getOrCreateContext();
            long unused = vertx.setPeriodic(FAR_AWAY_MILLIS, ignored -> {});
        }

        @Override
        public long readClock() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // threads have no other equality
        public boolean isCurrent() {
            return Thread.currentThread() == thread;
        }

        @Override
        public Thread thread() {
            return thread;
        }

        @Override
        public void post(Runnable task) {
            context.runOnContext(ignored -> task.run());
        }

        @Override
        @CanIgnoreReturnValue
        public long after(long millis, Runnable task) {
            return vertx.setTimer(Math.max(1, millis), ignored -> task.run());
        }

        @Override
        public void cancel(long timer) {
            vertx.cancelTimer(timer);
        }
    }
}
