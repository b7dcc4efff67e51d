package io.flockgate.storage;

import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.Survival;
import org.jspecify.annotations.Nullable;

/**
 * The client that makes a claim, as the storage sees and notifies it. A storage may call it on any
 * thread, without holding any of its own locks. Implementations must not block or throw, and hand
 * longer work to their own thread.
 */
public interface Claimant {
    /** The maximum length of a memo. */
    int MAX_MEMO_BYTES = 2_048;

    /** The number of this claimant in inspections: that of its connection or session. */
    long id();

    /**
     * Whether the grants of this claimant outlive its gateway, if the storage has several. Never
     * changes once the first claim has been made.
     */
    default boolean isDetached() {
        return false;
    }

    /**
     * Data that the gateway needs about this claimant when its grants outlive the process ({@link
     * Survival#KEPT}): opaque to the storage, at most {@value #MAX_MEMO_BYTES} bytes, not to be
     * modified. Null for a claimant whose grants end with its connection. Never changes once the
     * first claim has been made.
     */
    default byte @Nullable [] memo() {
        return null;
    }

    /**
     * The information about this claimant that operators may see. Never changes once the first
     * claim has been made. Called only for inspections.
     */
    default ClientDescription description() {
        return ClientDescription.UNKNOWN;
    }

    /**
     * A queued claim has obtained a slot, and its lease is running. Called at most once, and never
     * before the claim's future has completed with {@link ClaimOutcome.Queued}. A claimant that no
     * longer needs the grant must release it.
     */
    void granted(Ticket ticket, Grant grant);

    /**
     * An operator has taken a queued claim out of the queue. Called at most once, never for a claim
     * that gets a slot, and never before the claim's future has completed with {@link
     * ClaimOutcome.Queued}.
     */
    void removed(Ticket ticket);

    /**
     * A queued claim has reached the head of the queue, but the storage could not make its grant
     * durable. The claim is no longer queued and holds nothing. Called at most once, in place of
     * {@link #granted}.
     */
    default void failed(Ticket ticket, StorageException cause) {
        removed(ticket);
    }

    /**
     * A grant of this claimant has ended. Called exactly once per grant, unless a detached or kept
     * grant outlives the storage. If a call ended the grant, this is called before the future of
     * that call completes. When a grant ends right after it was made, this may be called before
     * {@link #granted}.
     */
    void ended(Grant grant, Ending ending);
}
