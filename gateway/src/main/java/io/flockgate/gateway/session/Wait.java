package io.flockgate.gateway.session;

import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Ticket;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The one request of a session that is waiting for a grant. Event loop only. */
final class Wait {
    private static final long LEAST_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MOST_FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    final Answer answer;
    final long leaseSeconds;

    /** When the claim was made, by the loop's clock. */
    final long claimedAt;

    /** When this wait was begun, by the same clock. */
    private final long begunAt;

    /** Null for a plain acquire. */
    final @Nullable Enqueued entry;

    /** Null for a wait for what was enqueued. */
    private final @Nullable Future<ClaimOutcome> claimed;

    /** Null until the session has heard the answer to the claim. */
    @Nullable
    Ticket ticket;

    /** What to answer instead of a grant, once the place in the queue has been given up; null while still waiting. */
    Outcome.@Nullable Plain givenUpAs;

    /** A wait for what is being claimed. */
    Wait(Answer answer, long leaseSeconds, long claimedAt, Future<ClaimOutcome> claimed) {
        this.answer = answer;
        this.leaseSeconds = leaseSeconds;
        this.claimedAt = claimedAt;
        this.begunAt = claimedAt;
        this.entry = null;
        this.claimed = claimed;
    }

    /** A wait for what was enqueued. */
    Wait(Answer answer, long leaseSeconds, long begunAt, Enqueued entry) {
        this.answer = answer;
        this.leaseSeconds = leaseSeconds;
        this.claimedAt = entry.claimedAt();
        this.begunAt = begunAt;
        this.entry = entry;
        this.ticket = entry.ticket;
        this.claimed = null;
    }

    /**
     * Whether a grant is passed on as it is. One that was made so long ago that its lease would be told markedly too long gets
     * its whole lease again first; and one that was begun before the wait was, however short ago, for its client counts from
     * when it asked.
     */
    boolean isFresh(Grant grant, long now) {
        if (grant.grantedAtNanos() - begunAt < 0) {
            return false;
        }
        long most = Math.clamp(TimeUnit.SECONDS.toNanos(leaseSeconds) / 20, LEAST_FRESH_NANOS, MOST_FRESH_NANOS);
        return now - grant.grantedAtNanos() <= most;
    }

    /** A grant may overtake the news of its place on the way to the event loop; the claim is complete by then. */
    @SuppressWarnings("ReferenceEquality") // a ticket is a handle
    boolean isFor(Ticket granted) {
        if (ticket != null || claimed == null) {
            return ticket == granted;
        }
        return claimed.succeeded() && claimed.result() instanceof Queued queued && queued.ticket() == granted;
    }
}
