package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.eventloop.LazyTimer;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.net.Wire;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The request of a connection that is not answered yet, of which there is at most one at a time:
 * limits the bytes that the client sends ahead, and gives signs of life. Confined to one event
 * loop.
 *
 * <ol>
 *   <li>Beyond the limit, reading pauses until the answer.
 *   <li>If the request may wait, the client is then disconnected, because a paused connection does
 *       not notice a client that vanishes. It first gets a short grace period, because the wait may
 *       end soon.
 *   <li>A client is disconnected if the budget has no room for its unread bytes.
 *   <li>A client that has requested it gets a sign of life whenever a request that may wait has
 *       been unanswered for so long, so that no balancer takes the connection for an idle one.
 * </ol>
 */
final class UnansweredRequest {
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

    /** Null unless the client has requested a sign of life. */
    private @Nullable LazyTimer alive;

    private long aliveNanos;

    /**
     * @param operator whether the client may use the budget's reserve
     * @param exceeded disconnects the client
     */
    UnansweredRequest(
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

    /** Gives a sign of life whenever a request has waited for this long. */
    void signLife(int seconds, Runnable sign) {
        aliveNanos = TimeUnit.SECONDS.toNanos(seconds);
        alive = new LazyTimer(loop, () -> {
            if (waiting && mayWait) {
                sign.run();
                awaitSign();
            }
        });
    }

    private void awaitSign() {
        if (alive != null) {
            alive.set(aliveNanos);
        }
    }

    /** Begins to watch, because a request was not answered immediately. */
    void begin(boolean requestMayWait) {
        waiting = true;
        mayWait = requestMayWait;
        waitingSince = loop.now();
        if (mayWait) {
            awaitSign();
        }
    }

    /** Ends the watch, because the request has been answered. */
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
        if (alive != null) {
            alive.stop();
        }
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
