package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;

/**
 * Limits the bytes that a client sends ahead of a request that has not been answered. On one event
 * loop only.
 *
 * <ol>
 *   <li>A request that is soon answered: beyond the limit the socket is not read until then. If the
 *       client has ended its sending side, Netty reads all the same what the kernel has. Then a
 *       client far beyond the limit is disconnected.
 *   <li>A request that may wait: the socket is read all the time, so that a vanished client is
 *       noticed. A client beyond the limit is disconnected, but not in the first moments, as the
 *       wait may soon be over.
 *   <li>In both cases a client is disconnected if the bytes of all clients take too much memory.
 * </ol>
 */
final class SendAheadLimit {
    /** The limit of the line protocol ("Pipelining"). */
    private static final int MAX_UNREAD = 4095;

    /** A read that is under way when the limit is reached adds to it. */
    private static final int MAX_UNREAD_WHEN_NOT_READ = 32 * 1024;

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

    /** A request has not been answered at once. */
    void begin(boolean requestMayWait) {
        waiting = true;
        mayWait = requestMayWait;
        waitingSince = loop.now();
    }

    /** The request has been answered. */
    void end() {
        waiting = false;
    }

    /** To be called whenever bytes have come. Does nothing when no request is under way. */
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
            if (decoder.unread() > MAX_UNREAD_WHEN_NOT_READ) {
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
