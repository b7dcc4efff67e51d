package io.flockgate.gateway.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Vertx;

/**
 * The one thread on which everything of a session happens, with its timers and its clock. Made on that thread. A server
 * has one kind of it only, so that calls cost no more than those of a final class.
 */
public abstract class EventLoop {
    EventLoop() {}

    /** The event loop of the calling thread. */
    public static EventLoop current(Vertx vertx) {
        return new VertxEventLoop(vertx);
    }

    /** Monotonic nanoseconds: compare by difference. */
    public abstract long now();

    abstract boolean isCurrent();

    /** Runs it later on this loop's thread; callable from any thread. */
    public abstract void post(Runnable task);

    /** Runs it once after so many milliseconds; only on this loop's thread. The number is for {@link #cancel}. */
    @CanIgnoreReturnValue
    public abstract long after(long millis, Runnable task);

    public abstract void cancel(long timer);
}
