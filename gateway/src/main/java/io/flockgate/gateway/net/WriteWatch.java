package io.flockgate.gateway.net;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Detects a peer that does not read in time. A write that leaves at once costs nothing. Of the
 * others, only the oldest and the newest are checked, when the timer fires. Vert.x's own write-idle
 * timeout is not used, because it also ends a connection that has nothing to write. On one event
 * loop only.
 */
public final class WriteWatch {
    private final @Nullable LazyTimer timer;
    private final long timeoutNanos;
    private final Runnable timedOut;
    private @Nullable Future<Void> oldest;
    private @Nullable Future<Void> newest;

    /** With a timeout of zero nothing is watched. */
    public WriteWatch(EventLoop loop, Duration timeout, Runnable timedOut) {
        this.timeoutNanos = timeout.toNanos();
        this.timedOut = timedOut;
        this.timer = timeout.isZero() ? null : new LazyTimer(loop, this::check);
    }

    /** Watches a write. */
    public void note(Future<Void> write) {
        if (timer == null || write.isComplete()) {
            return;
        }
        if (oldest == null) {
            oldest = write;
            timer.set(timeoutNanos);
        } else {
            newest = write;
        }
    }

    /**
     * Writes complete in order. The newest one may get up to twice the time, if it was made while
     * the oldest was watched.
     */
    private void check() {
        if (oldest != null && !oldest.isComplete()) {
            timedOut.run();
            return;
        }
        oldest = newest != null && !newest.isComplete() ? newest : null;
        newest = null;
        if (oldest != null && timer != null) {
            timer.set(timeoutNanos);
        }
    }

    public void stop() {
        if (timer != null) {
            timer.stop();
        }
    }
}
