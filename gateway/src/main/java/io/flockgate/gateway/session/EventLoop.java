package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * The one thread on which everything of a session happens, with its timers and its clock. Made on that thread.
 */
public final class EventLoop {
    private final Vertx vertx;
    private final Context context;
    private final Thread thread = Thread.currentThread();

    private EventLoop(Vertx vertx, Context context) {
        this.vertx = vertx;
        this.context = context;
    }

    /** The event loop of the calling thread. */
    public static EventLoop current(Vertx vertx) {
        return new EventLoop(vertx, vertx.getOrCreateContext());
    }

    /** Monotonic nanoseconds: compare by difference. */
    public long now() {
        return System.nanoTime();
    }

    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Runs it later on this loop's thread; callable from any thread. */
    public void post(Runnable task) {
        context.runOnContext(ignored -> task.run());
    }

    /** Runs it once after so many milliseconds; only on this loop's thread. The number is for {@link #cancel}. */
    @CanIgnoreReturnValue
    public long after(long millis, Runnable task) {
        return vertx.setTimer(Math.max(1, millis), ignored -> task.run());
    }

    public void cancel(long timer) {
        vertx.cancelTimer(timer);
    }
}
