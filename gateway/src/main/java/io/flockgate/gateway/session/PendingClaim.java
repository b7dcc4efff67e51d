package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A claim on the way to its grant: that of an acquire until its answer, or an enqueued one until
 * the answer to its wait. Event loop only.
 */
@SuppressWarnings("ReferenceEquality") // tickets and grants are handles
final class PendingClaim {
    private static final long MIN_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    final Claim claim;

    /** The time of the claim, by the loop's clock. */
    final long claimedAt;

    /** Whether the claim takes two requests, an enqueue and a wait. */
    final boolean enqueued;

    /** Null once the claim has a place in the queue. */
    private @Nullable Future<ClaimOutcome> claimed;

    /** Receives the outcome of the wait. Replaced when the client disconnects. */
    Handler<Outcome> answer = outcome -> {};

    /** The time at which the wait began. */
    private long waitingSince;

    /** The place in the queue; null before the storage has answered. */
    @Nullable
    Ticket ticket;

    @Nullable
    Grant grant;

    /** Whether the session holds the grant. */
    boolean held;

    /** Whether the client knows the grant's token. */
    boolean told;

    /** The last grant of the key that has ended, possibly before this claim's grant is known. */
    private @Nullable Grant ended;

    private @Nullable Ending ending;

    /**
     * The outcome once the place in the queue has been given up; null while the request still
     * waits.
     */
    @Nullable
    Plain givenUpAs;

    PendingClaim(Claim claim, boolean enqueued, long claimedAt, Future<ClaimOutcome> claimed) {
        this.claim = claim;
        this.enqueued = enqueued;
        this.claimedAt = claimedAt;
        this.claimed = claimed;
    }

    void await(Handler<Outcome> waiting, long now) {
        answer = waiting;
        waitingSince = now;
    }

    void queued(Ticket place) {
        ticket = place;
        claimed = null;
    }

    /**
     * Whether the ticket is that of this claim. The grant may reach the event loop before the
     * answer to the claim does, but the claim is complete by then.
     */
    boolean isFor(Ticket granted) {
        if (claimed == null) {
            return ticket == granted;
        }
        return claimed.succeeded() && claimed.result() instanceof Queued queued && queued.ticket() == granted;
    }

    /**
     * Whether the grant may be delivered as it is. A stale grant must first be renewed for its
     * whole lease, because the client counts from its own request. A grant is stale if it is older
     * than the wait, or older than a twentieth of its lease, within fixed bounds.
     */
    boolean isFresh(Grant given, long now) {
        if (given.grantedAtNanos() - waitingSince < 0) {
            return false;
        }
        long longest =
                Math.clamp(TimeUnit.SECONDS.toNanos(claim.leaseSeconds()) / 20, MIN_FRESH_NANOS, MAX_FRESH_NANOS);
        return now - given.grantedAtNanos() <= longest;
    }

    /** Whether the grant is that of this claim, and the client does not know its token. */
    boolean isUntold(Grant given) {
        return grant == given && !told;
    }

    /** Notes that a grant has ended, which may be this claim's. */
    void ended(Grant over, Ending how) {
        if (over.key().equals(claim.key()) && (grant == null || grant == over)) {
            ended = over;
            ending = how;
        }
    }

    /** Whether the claim has been granted, and the grant has ended. */
    boolean hasEnded() {
        return grant != null && grant == ended;
    }

    boolean isReleased() {
        return hasEnded() && ending == Ending.RELEASED;
    }

    /**
     * The outcome of a wait for a grant that has ended. While the ending is not known, the lease
     * counts as ended.
     */
    Plain endedAs() {
        return isReleased() ? Plain.NOT_ENQUEUED : Plain.LEASE_EXPIRED;
    }
}
