package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.KeyView;
import org.jspecify.annotations.Nullable;

/**
 * The state of one claim while a gateway decides it, and the resulting decision. Pure.
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
        return ClaimRules.isFull(waiting, limits) ? refuse(Refusal.MAX_WAITERS) : new Decision.Queue();
    }

    private Decision decideByView() {
        Refusal refusal = ClaimRules.refusal(view, claim, view.queue().size(), limits);
        if (refusal != null) {
            return refuse(refusal);
        }
        if (ClaimRules.isFree(view, claim) && (!claim.mayQueue() || tries < TRIES_BEFORE_QUEUEING)) {
            return new Decision.Take();
        }
        return claim.mayQueue() ? new Decision.Queue() : refuse(Refusal.BUSY);
    }

    private Decision refuse(Refusal refusal) {
        return freshness == Freshness.READ ? new Decision.Answer(refusal) : new Decision.ReadAgain();
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
