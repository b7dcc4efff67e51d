package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;

/** Limits the time that a client takes for each line. On one event loop only. */
final class LineTimer {
    private static final long NONE = -1;

    private final LineDecoder decoder;
    private final LazyTimer timer;
    private final long timeoutNanos;

    /** The line that the timer runs for, counted over the connection. */
    private long line = NONE;

    LineTimer(EventLoop loop, LineDecoder decoder, long timeoutNanos, Runnable timedOut) {
        this.decoder = decoder;
        this.timeoutNanos = timeoutNanos;
        this.timer = new LazyTimer(loop, timedOut);
    }

    /**
     * Keeps running while the client still has to send the rest of a line; to be called after each
     * read.
     */
    void watch(boolean unfinished) {
        if (!unfinished) {
            timer.clear();
            line = NONE;
        } else if (line != decoder.linesFound()) {
            line = decoder.linesFound();
            timer.set(timeoutNanos);
        }
    }

    void stop() {
        timer.stop();
    }
}
