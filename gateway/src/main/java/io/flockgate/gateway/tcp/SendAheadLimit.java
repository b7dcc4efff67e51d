package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;

/**
 * Limits the bytes that a client sends ahead while one of its requests is unanswered. Confined to
 * one event loop.
 *
 * <ol>
 *   <li>If the request never waits, reading pauses beyond the limit until the answer. If the client
 *       has closed its sending side, Netty nevertheless reads what the kernel has buffered, so a
 *       client far beyond the limit is disconnected.
 *   <li>If the request may wait, reading continues, so that a vanished client is noticed. A client
 *       beyond the limit is disconnected, but first gets a short grace period with a higher limit,
 *       because the wait may end soon.
 *   <li>In both cases, a client is disconnected if the unread bytes of all clients take too much
 *       memory.
 * </ol>
 */
final class SendAheadLimit {
    /** The limit of the line protocol ("Pipelining"). */
    private static final int MAX_UNREAD = 4095;

    /** Higher than {@link #MAX_UNREAD}, because a read already under way can still add bytes. */
    private static final int MAX_UNREAD_WHILE_PAUSED = 32 * 1024;

    private static final long GRACE_NANOS = 10_000_000;
    private static final int MAX_UNREAD_IN_GRACE = 256 * 1024;

    private final EventLoop loop;
    private final LineDecoder decoder;
    private final UnreadBytes unread;
    private final ReadGate reading;
    private final Runnable exceeded;
    private boolean waiting;
    private boolean mayWait;
    private long waitingSince;

    /**
     * @param exceeded disconnects the client
     */
    SendAheadLimit(EventLoop loop, LineDecoder decoder, UnreadBytes unread, ReadGate reading, Runnable exceeded) {
        this.loop = loop;
        this.decoder = decoder;
        this.unread = unread;
        this.reading = reading;
        this.exceeded = exceeded;
    }

    /** Starts to limit, because a request was not answered immediately. */
    void begin(boolean requestMayWait) {
        waiting = true;
        mayWait = requestMayWait;
        waitingSince = loop.now();
    }

    /** Stops limiting, because the request has been answered. */
    void end() {
        waiting = false;
    }

    /** To be called whenever bytes have arrived. Does nothing unless a request is unanswered. */
    void check() {
        if (!waiting) {
            return;
        }
        if (!unread.hasRoom()) {
            exceeded.run();
            return;
        }
        if (decoder.unread() <= MAX_UNREAD) {
            return;
        }
        if (!mayWait) {
            reading.farAhead();
            if (decoder.unread() > MAX_UNREAD_WHILE_PAUSED) {
                exceeded.run();
            }
            return;
        }
        long waited = loop.now() - waitingSince;
        if (waited < GRACE_NANOS && decoder.unread() <= MAX_UNREAD_IN_GRACE) {
            loop.after(1 + (GRACE_NANOS - waited) / 1_000_000, this::check);
        } else {
            exceeded.run();
        }
    }
}
