package io.flockgate.gateway.eventloop;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;

/** An event loop of Vert.x. */
final class VertxEventLoop extends EventLoop {
    /**
     * Without any timer, Netty sets one for the next second at every turn, with a system call each.
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
