package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The maker of a claim, whom the storage notifies. A storage calls it on any thread, and holds none
 * of its locks then. Implementations must not block and must not throw. They hand longer work to a
 * thread of their own.
 */
public interface Claimant {
    /** The longest memo. */
    int MAX_MEMO_BYTES = 2_048;

    /** The number of this claimant in inspections: that of a connection or a session. */
    long id();

    /**
     * Whether the grants of this claimant outlive its gateway, if the storage has several. Never
     * changes once the first claim has been made.
     */
    default boolean isDetached() {
        return false;
    }

    /**
     * What the gateway needs to know about this claimant when its grants outlive the process
     * ({@link Survival#KEPT}): opaque to the storage, at most {@value #MAX_MEMO_BYTES} bytes, not
     * to be modified. Null for a claimant whose grants end with its connection. Never changes once
     * the first claim has been made.
     */
    default byte @Nullable [] memo() {
        return null;
    }

    /**
     * The things that operators may see of this claimant. Never changes once the first claim has
     * been made. Called only when they look.
     */
    default ClientDescription description() {
        return ClientDescription.UNKNOWN;
    }

    /**
     * A queued claim has got a slot, and its lease runs. Called once at most, and never before the
     * claim's future has completed with {@link ClaimOutcome.Queued}. A claimant that no longer
     * needs the grant must release it.
     */
    void granted(Ticket ticket, Grant grant);

    /**
     * An operator has taken a queued claim out of the queue. Called once at most, and never for a
     * claim that gets a slot. Never before the claim's future has completed with {@link
     * ClaimOutcome.Queued}.
     */
    void removed(Ticket ticket);

    /**
     * A queued claim has reached the head of the queue, and the storage could not make its grant
     * durable. The claim is no longer queued and holds nothing. Called once at most, and then in
     * place of {@link #granted}.
     */
    default void failed(Ticket ticket, StorageException cause) {
        removed(ticket);
    }

    /**
     * A grant of this claimant has ended. Called once for every grant, except that a detached or
     * kept one may outlive the storage. If a call ended the grant, this comes before the future of
     * that call completes. When a grant ends right after it was made, this may come before {@link
     * #granted}.
     */
    void ended(Grant grant, Ending ending);
}
