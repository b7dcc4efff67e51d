package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * A claim between its enqueue and its wait. The storage sets grant and ending on any thread, before
 * the session is notified, so that a wait that follows a release on another thread takes the
 * release into account.
 */
final class Enqueued implements Claimant {
    private final Claimant session;
    private final Claim claim;
    private final long claimedAt;
    private final Listener listener;
    private volatile @Nullable Grant grant;
    private volatile @Nullable Ending ending;

    /** The claim's place in the queue. Event loop only. */
    @Nullable
    Ticket ticket;

    /**
     * True once the wait has ended without a grant, so that a grant that still arrives is not
     * taken. Event loop only.
     */
    boolean abandoned;

    private boolean held;

    /** What happens to a claim after its enqueue. Called on any thread. */
    interface Listener {
        /** The queued claim has been granted. */
        void granted(Enqueued entry, Grant grant);

        /** An operator has removed the claim from the queue. */
        void removed(Enqueued entry);

        /** The grant from the queue could not be made durable. */
        void failed(Enqueued entry, StorageException cause);

        /** The grant has ended. */
        void ended(Enqueued entry, Grant grant);
    }

    /**
     * Creates an entry.
     *
     * @param claimedAt the time of the claim by the clock of the session's event loop
     */
    Enqueued(Claimant session, Claim claim, long claimedAt, Listener listener) {
        this.session = session;
        this.claim = claim;
        this.claimedAt = claimedAt;
        this.listener = listener;
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

    /**
     * The outcome of a wait for a grant that has ended. While the ending is not known, the lease
     * counts as ended.
     */
    Plain endedAs() {
        return ending == Ending.RELEASED ? Plain.NOT_ENQUEUED : Plain.LEASE_EXPIRED;
    }

    void grantedAtOnce(Grant given) {
        grant = given;
    }

    /**
     * Whether the session must now add the grant to those that it holds. True at most once. Event
     * loop only.
     */
    boolean becomesHeld() {
        boolean becomes = !held && ending == null;
        held |= becomes;
        return becomes;
    }

    @Override
    public long id() {
        return session.id();
    }

    @Override
    public boolean isDetached() {
        return session.isDetached();
    }

    @Override
    public byte @Nullable [] memo() {
        return session.memo();
    }

    @Override
    public ClientDescription description() {
        return session.description();
    }

    @Override
    public void granted(Ticket granted, Grant given) {
        grant = given;
        listener.granted(this, given);
    }

    @Override
    public void removed(Ticket removed) {
        listener.removed(this);
    }

    @Override
    public void failed(Ticket failed, StorageException cause) {
        listener.failed(this, cause);
    }

    @Override
    public void ended(Grant ended, Ending why) {
        ending = why;
        listener.ended(this, ended);
    }
}
