package io.flockgate.gateway.session;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for a grant: a plain acquire, or the wait for a key that was enqueued. Event
 * loop only.
 */
final class WaitingRequest {
    private static final long MIN_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    final long leaseSeconds;

    /** Replaced when the client disconnects, so that this does not retain its connection. */
    Handler<Outcome> answer;

    /** The time of the claim, by the loop's clock. */
    final long claimedAt;

    /** The time at which this wait began, by the same clock. */
    private final long begunAt;

    /** Null for a plain acquire. */
    final @Nullable Enqueued entry;

    /** Null for the wait for an enqueued claim. */
    private final @Nullable Future<ClaimOutcome> claimed;

    /** Null until the storage has answered the claim. */
    @Nullable
    Ticket ticket;

    /**
     * The outcome once the place in the queue has been given up; null while the request still
     * waits.
     */
    Outcome.@Nullable Plain givenUpAs;

    /** A wait for a slot that is being claimed. */
    WaitingRequest(Handler<Outcome> answer, long leaseSeconds, long claimedAt, Future<ClaimOutcome> claimed) {
        this.answer = answer;
        this.leaseSeconds = leaseSeconds;
        this.claimedAt = claimedAt;
        this.begunAt = claimedAt;
        this.entry = null;
        this.claimed = claimed;
    }

    /** A wait for an enqueued claim. */
    WaitingRequest(Handler<Outcome> answer, long begunAt, Enqueued entry) {
        this.answer = answer;
        this.leaseSeconds = entry.claim().leaseSeconds();
        this.claimedAt = entry.claimedAt();
        this.begunAt = begunAt;
        this.entry = entry;
        this.ticket = entry.ticket;
        this.claimed = null;
    }

    /**
     * Whether the grant may be delivered as it is. A stale grant must first be renewed for its
     * whole lease, because the client counts from its own request. A grant is stale if it is older
     * than this wait, or older than a twentieth of its lease, within fixed bounds.
     */
    boolean isFresh(Grant grant, long now) {
        if (grant.grantedAtNanos() - begunAt < 0) {
            return false;
        }
        long longest = Math.clamp(TimeUnit.SECONDS.toNanos(leaseSeconds) / 20, MIN_FRESH_NANOS, MAX_FRESH_NANOS);
        return now - grant.grantedAtNanos() <= longest;
    }

    /**
     * Whether the ticket is that of this request. The grant may reach the event loop before the
     * answer to the claim does, but the claim is complete by then.
     */
    @SuppressWarnings("ReferenceEquality") // a ticket is a handle
    boolean isFor(Ticket granted) {
        if (ticket != null || claimed == null) {
            return ticket == granted;
        }
        return claimed.succeeded() && claimed.result() instanceof Queued queued && queued.ticket() == granted;
    }
}
