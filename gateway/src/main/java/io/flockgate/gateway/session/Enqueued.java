package io.flockgate.gateway.session;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.Ticket;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
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
    private final BiConsumer<Enqueued, Grant> whenGranted;
    private final Consumer<Enqueued> whenRemoved;
    private final BiConsumer<Enqueued, StorageException> whenFailed;
    private final BiConsumer<Enqueued, Grant> whenEnded;
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

    /**
     * Creates an entry.
     *
     * @param claimedAt the time of the claim by the clock of the session's event loop
     * @param whenGranted runs on any thread when the queued claim has been granted
     * @param whenRemoved runs on any thread when an operator has removed the claim from the queue
     * @param whenFailed runs on any thread when the grant from the queue could not be made durable
     * @param whenEnded runs on any thread when that grant has ended
     */
    Enqueued(
            Claimant session,
            Claim claim,
            long claimedAt,
            BiConsumer<Enqueued, Grant> whenGranted,
            Consumer<Enqueued> whenRemoved,
            BiConsumer<Enqueued, StorageException> whenFailed,
            BiConsumer<Enqueued, Grant> whenEnded) {
        this.session = session;
        this.claim = claim;
        this.claimedAt = claimedAt;
        this.whenGranted = whenGranted;
        this.whenRemoved = whenRemoved;
        this.whenFailed = whenFailed;
        this.whenEnded = whenEnded;
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
        whenGranted.accept(this, given);
    }

    @Override
    public void removed(Ticket removed) {
        whenRemoved.accept(this);
    }

    @Override
    public void failed(Ticket failed, StorageException cause) {
        whenFailed.accept(this, cause);
    }

    @Override
    public void ended(Grant ended, Ending why) {
        ending = why;
        whenEnded.accept(this, ended);
    }
}
