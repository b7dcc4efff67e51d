package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Slot;
import org.jspecify.annotations.Nullable;

/**
 * The state of one claim while a gateway decides it, the resulting decision, and the rules on
 * whether a claim fits a key and a slot is free for it. Pure.
 *
 * <ol>
 *   <li>While tickets of this gateway are being written, a claim that may queue is placed behind
 *       them.
 *   <li>Otherwise, if no claim waits and a slot is free, take it. After a conflict, read again.
 *   <li>A claim that may queue gets a ticket if no slot is free, if other gateways were faster
 *       several times, or if Consul's lock delay blocks the free slot.
 *   <li>The state of the key leads to a refusal only if the view was read after the claim began.
 * </ol>
 *
 * @param enqueuing the number of this gateway's tickets that are being written and will be in front
 *     of the claim
 * @param tries the number of attempts to take a free slot
 * @param taken the outcome of the last attempt; null if there was none, or if the key has changed
 */
record ClaimState(
        Claim claim,
        StorageLimits limits,
        KeyView view,
        Freshness freshness,
        int enqueuing,
        int tries,
        @Nullable ClaimOutcome taken) {
    /** Maximum number of attempts to take a free slot, for a claim that may queue. */
    static final int TRIES_BEFORE_QUEUEING = 3;

    /** How recent the view is. */
    enum Freshness {
        /** It may have been read before the claim. */
        KEPT,
        /** It was read after the claim began. */
        READ,
        /** Consul has refused a write that was based on it. */
        OUTDATED
    }

    /** The initial state of a claim. */
    static ClaimState of(Claim claim, StorageLimits limits, KeyView kept, int enqueuing) {
        return new ClaimState(claim, limits, kept, Freshness.KEPT, enqueuing, 0, null);
    }

    /** The state after another read. */
    ClaimState read(KeyView fresh) {
        return new ClaimState(claim, limits, fresh, Freshness.READ, enqueuing, tries, null);
    }

    /**
     * The state after an attempt to take a slot.
     *
     * @param outcome {@link Refusal#BUSY} if Consul's lock delay blocks the free slot
     */
    ClaimState taken(ClaimOutcome outcome) {
        return new ClaimState(claim, limits, view, freshness, enqueuing, tries + 1, outcome);
    }

    /** The state after an attempt that failed because another gateway has changed the key. */
    ClaimState conflict() {
        return new ClaimState(claim, limits, view, Freshness.OUTDATED, enqueuing, tries + 1, null);
    }

    Decision decide() {
        if (taken != null) {
            return afterAttempt(taken);
        } else if (freshness == Freshness.OUTDATED) {
            return new Decision.ReadAgain();
        } else {
            return enqueuing > 0 ? decideBehindOwn() : decideByView();
        }
    }

    private Decision afterAttempt(ClaimOutcome outcome) {
        if (outcome == Refusal.BUSY && claim.mayQueue()) {
            return new Decision.Queue();
        }
        return outcome == Refusal.MAX_LOCKS ? refuse(Refusal.MAX_LOCKS) : new Decision.Answer(outcome);
    }

    /**
     * Refuses a claim now if there are too many waiters, because its ticket would cost two writes:
     * one to make it, and one to delete it.
     */
    private Decision decideBehindOwn() {
        int waiting = view.queue().size() + (freshness == Freshness.READ ? 0 : enqueuing);
        return isFull(waiting, limits) ? refuse(Refusal.MAX_WAITERS) : new Decision.Queue();
    }

    private Decision decideByView() {
        Refusal refusal = refusal(view, claim, view.queue().size(), limits);
        if (refusal != null) {
            return refuse(refusal);
        }
        if (isFree(view, claim) && (!claim.mayQueue() || tries < TRIES_BEFORE_QUEUEING)) {
            return new Decision.Take();
        }
        return claim.mayQueue() ? new Decision.Queue() : refuse(Refusal.BUSY);
    }

    private Decision refuse(Refusal refusal) {
        return freshness == Freshness.READ ? new Decision.Answer(refusal) : new Decision.ReadAgain();
    }

    /** The reason why the claim does not fit the key's type or limit; null when it fits. */
    static @Nullable Refusal mismatch(KeyView view, Claim claim) {
        return switch (view.fit(claim.kind(), claim.limit())) {
            case FITS -> null;
            case OTHER_KIND -> Refusal.KIND_MISMATCH;
            case OTHER_LIMIT -> Refusal.LIMIT_MISMATCH;
        };
    }

    /**
     * The reason why the claim gets neither a slot nor a place in the queue; null when there is
     * none.
     *
     * @param inFront the number of waiters in front of the claim
     */
    static @Nullable Refusal refusal(KeyView view, Claim claim, int inFront, StorageLimits limits) {
        Refusal mismatch = mismatch(view, claim);
        if (mismatch != null) {
            return mismatch;
        }
        return isFull(inFront, limits) ? Refusal.MAX_WAITERS : null;
    }

    static boolean isFull(int waiting, StorageLimits limits) {
        return limits.maxWaiters() > 0 && waiting >= limits.maxWaiters();
    }

    /** The number of tickets in front of this one; 0 if the ticket no longer exists. */
    static int inFront(KeyView view, String ticket) {
        return view.ticket(ticket).isEmpty()
                ? 0
                : (int) view.queue().stream()
                        .takeWhile(each -> !each.name().equals(ticket))
                        .count();
    }

    /** Whether a slot is free for this claim, and no claim waits for it. */
    static boolean isFree(KeyView view, Claim claim) {
        return view.head().isEmpty() && hasRoom(view, claim, null);
    }

    /** Whether a slot is free for this claim, or will be when the given slot is freed. */
    static boolean hasRoom(KeyView view, Claim claim, @Nullable Slot freed) {
        return mismatch(view, claim) != Refusal.KIND_MISMATCH && view.hasRoom(claim.limit(), freed);
    }

    /** The next step of a claim. */
    sealed interface Decision {
        /** Write a grant of a free slot. */
        record Take() implements Decision {}

        /** Write a ticket. */
        record Queue() implements Decision {}

        /** Answer the claim with a refusal, or with the grant that was written. */
        record Answer(ClaimOutcome outcome) implements Decision {}

        /** Read the key. */
        record ReadAgain() implements Decision {}
    }
}
