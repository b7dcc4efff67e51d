package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What a session remembers between an enqueue and its wait. The storage writes down what happens to it at once, on any
 * thread, so that a request that comes right after a release elsewhere sees that release; the session is told besides.
 */
final class Enqueued implements Claimant {
    private final LockSession session;
    private final TimedEvents events;
    private final Claim claim;
    private final long claimedAt;
    private volatile @Nullable Grant grant;
    private volatile @Nullable Ending ending;

    /** Where the claim is queued. Event loop only. */
    @Nullable
    Ticket ticket;

    /** Its wait has ended without a grant: nobody will hear of one. Event loop only. */
    boolean abandoned;

    /** Known to the session's set of grants. Event loop only. */
    boolean counted;

    /** @param claimedAt by the clock of the session's event loop */
    Enqueued(LockSession session, TimedEvents events, Claim claim, long claimedAt) {
        this.session = session;
        this.events = events;
        this.claim = claim;
        this.claimedAt = claimedAt;
    }

    long claimedAt() {
        return claimedAt;
    }

    Claim claim() {
        return claim;
    }

    @Nullable
    Grant grant() {
        return grant;
    }

    @Nullable
    Ending ending() {
        return ending;
    }

    /** What to tell of its end. One not heard of yet is a lease's: nobody but the client could have released the grant. */
    Plain endedAs() {
        return ending == Ending.RELEASED ? Plain.NOT_ENQUEUED : Plain.LEASE_EXPIRED;
    }

    void grantedAtOnce(Grant given) {
        grant = given;
    }

    @Override
    public long id() {
        return session.id();
    }

    @Override
    public void granted(Ticket granted, Grant given) {
        grant = given;
        session.inItsOwnTurn(() -> session.enqueuedGranted(this, given));
    }

    @Override
    public void ended(Grant ended, Ending why) {
        ending = why;
        events.ended(ended, why);
        session.later(() -> session.enqueuedEnded(this, ended, why));
    }
}
