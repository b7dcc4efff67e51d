package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.net.Wire;
import java.util.function.BooleanSupplier;

/**
 * Limits the bytes that a client sends ahead while one of its requests is unanswered. Confined to
 * one event loop.
 *
 * <ol>
 *   <li>Beyond the limit, reading pauses until the answer.
 *   <li>If the request may wait, the client is then disconnected, because a paused connection does
 *       not notice a client that vanishes. It first gets a short grace period, because the wait may
 *       end soon.
 *   <li>A client is disconnected if the budget has no room for its unread bytes.
 * </ol>
 */
final class SendAheadLimit {
    /** The limit of the line protocol ("Pipelining"). */
    private static final int MAX_UNREAD = 4095;

    private static final long GRACE_NANOS = 10_000_000;

    private final EventLoop loop;
    private final LineDecoder decoder;
    private final Wire wire;
    private final Budget.Share unread;
    private final BooleanSupplier operator;
    private final Runnable exceeded;
    private boolean waiting;
    private boolean mayWait;
    private long waitingSince;

    /**
     * @param operator whether the client may use the budget's reserve
     * @param exceeded disconnects the client
     */
    SendAheadLimit(
            EventLoop loop,
            LineDecoder decoder,
            Wire wire,
            Budget.Share unread,
            BooleanSupplier operator,
            Runnable exceeded) {
        this.loop = loop;
        this.decoder = decoder;
        this.wire = wire;
        this.unread = unread;
        this.operator = operator;
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

    /** Whether the budget has room for the bytes that are not decoded yet. */
    boolean hasRoom() {
        return unread.keep(decoder.kept(), operator.getAsBoolean());
    }

    /** Keeps nothing any more, because the connection has ended. */
    void close() {
        end();
        unread.clear();
    }

    /** To be called whenever bytes have arrived. Does nothing unless a request is unanswered. */
    void check() {
        if (!waiting) {
            return;
        }
        if (!hasRoom()) {
            exceeded.run();
            return;
        }
        if (decoder.unread() <= MAX_UNREAD) {
            return;
        }
        wire.read(false);
        if (!mayWait) {
            return;
        }
        long left = GRACE_NANOS - (loop.now() - waitingSince);
        if (left > 0) {
            loop.after(1 + left / 1_000_000, this::check);
        } else {
            exceeded.run();
        }
    }
}
