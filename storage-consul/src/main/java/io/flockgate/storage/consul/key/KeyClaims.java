package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides claims on one key. For the key's own thread only. */
final class KeyClaims {
    /** A claim that may queue does not race for a slot more often. */
    private static final int TRIES_BEFORE_QUEUEING = 3;

    private final Node node;
    private final KeyStore store;
    private final KeyGrants grants;
    private final KeyQueue queue;

    KeyClaims(Node node, KeyStore store, KeyGrants grants, KeyQueue queue) {
        this.node = node;
        this.store = store;
        this.grants = grants;
        this.queue = queue;
    }

    /** What is to be done about a claim. */
    sealed interface Decision {
        record Answer(ClaimOutcome outcome) implements Decision {}

        /** It is to take a place in the queue. */
        record ToQueue() implements Decision {}
    }

    private static final Decision TO_QUEUE = new Decision.ToQueue();

    /**
     * Gives a slot, or says that there is none. A refusal is never given on what was seen before the claim.
     *
     * @throws ConsulException when it cannot be decided by the deadline
     */
    Decision claim(Claim claim, Claimant claimant, long deadline) {
        if (mustFollow(claim)) {
            return follow(deadline);
        }
        KeyView view = enoughToDecide(claim, deadline);
        boolean fresh = false;
        for (int tries = 0; ; ) {
            Refusal refusal = refusal(view, claim);
            if (isFree(view, claim) && (!claim.mayQueue() || tries < TRIES_BEFORE_QUEUEING)) {
                Decision decision = take(view, claim, claimant, fresh, deadline);
                if (decision != null) {
                    return decision;
                }
                tries++;
            } else if (refusal == null && claim.mayQueue()) {
                return TO_QUEUE;
            } else if (fresh) {
                return new Decision.Answer(refusal == null ? Refusal.BUSY : refusal);
            }
            view = tries == 0 ? store.read(deadline) : readAgain(tries, deadline);
            fresh = true;
        }
    }

    /** Others of this gateway are taking their places, and are before this one. */
    private boolean mustFollow(Claim claim) {
        KeyView last = store.seen();
        return claim.mayQueue() && queue.entering() > 0 && (last == null || ClaimRules.mismatch(last, claim) == null);
    }

    /** Where there might be too many, it is looked first: tickets that are turned away cost two writes. */
    private Decision follow(long deadline) {
        KeyView last = store.seen();
        int known = last == null ? 0 : last.queue().size();
        boolean full = isFull(known + queue.entering())
                && isFull(store.read(deadline).queue().size());
        return full ? new Decision.Answer(Refusal.MAX_WAITERS) : TO_QUEUE;
    }

    /** Where others of this gateway wait, a watch shows the key: enough to queue on, as the answer to that write shows the rest. */
    private KeyView enoughToDecide(Claim claim, long deadline) {
        KeyView last = store.seen();
        boolean othersWait = claim.mayQueue() && !queue.isEmpty();
        return last != null && othersWait && !isFree(last, claim) ? last : store.likely(deadline);
    }

    private static boolean isFree(KeyView view, Claim claim) {
        return view.head().isEmpty() && ClaimRules.hasRoom(view, claim, null);
    }

    private KeyView readAgain(int conflicts, long deadline) {
        if (node.now() - deadline >= 0) {
            throw new ConsulException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many others want this key");
        }
        return store.readAfterConflict(conflicts, deadline);
    }

    private @Nullable Refusal refusal(KeyView view, Claim claim) {
        Refusal mismatch = ClaimRules.mismatch(view, claim);
        if (mismatch != null) {
            return mismatch;
        }
        return !isFree(view, claim) && isFull(view.queue().size()) ? Refusal.MAX_WAITERS : null;
    }

    private boolean isFull(int waiting) {
        return node.settings().maxWaiters() > 0 && waiting >= node.settings().maxWaiters();
    }

    /** Tries to take a free slot; null when the key is not as it was thought to be. */
    private @Nullable Decision take(KeyView view, Claim claim, Claimant claimant, boolean fresh, long deadline) {
        boolean makes = !view.exists();
        if (makes && !node.keyIndex().reserve(view.path())) {
            return fresh ? new Decision.Answer(Refusal.MAX_LOCKS) : null;
        }
        Candidate candidate = queue.candidate(view, claim, claimant);
        WriteOutcome written = grants.write(
                node.transactions().takeFree(view, candidate.grantee()),
                candidate,
                after -> after.slotOf(candidate.nonce()).isPresent(),
                deadline);
        return switch (written) {
            case WriteOutcome.Done done -> held(candidate, done);
            case WriteOutcome.Refused refused -> {
                if (makes) {
                    node.keyIndex().notMade(view.path());
                }
                yield refused.byLockDelay() ? delayed(claim) : null;
            }
        };
    }

    private Decision held(Candidate candidate, WriteOutcome.Done done) {
        LocalGrant grant = grants.made(candidate, done);
        if (grant == null) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.UNKNOWN,
                    node.fences().trouble().orElse("the session of the grant has ended"));
        }
        return new Decision.Answer(new ClaimOutcome.Held(grant));
    }

    /** Consul keeps the key free for a time, as its last holder died. */
    private static Decision delayed(Claim claim) {
        return claim.mayQueue() ? TO_QUEUE : new Decision.Answer(Refusal.BUSY);
    }

    /**
     * Answers a claim that has been to the entrance. What its ticket's write has shown is the queue as it stood then: only those
     * in front count. One that is refused is still to be turned away there.
     *
     * @param watched whether a watch of the key is there
     * @throws ConsulException when it has no ticket
     */
    ClaimOutcome entered(LocalWaiter waiter, TicketWriter.Entry entry, boolean watched) {
        try {
            return switch (entry) {
                case TicketWriter.Entry.Failed failed -> throw failed.cause();
                case TicketWriter.Entry.Made made -> entered(waiter, made.done(), watched);
            };
        } catch (RuntimeException | Error e) {
            queue.notEntered(waiter);
            throw e;
        }
    }

    private ClaimOutcome entered(LocalWaiter waiter, WriteOutcome.Done done, boolean watched) {
        KeyView view = done.view();
        store.take(view, watched);
        Refusal refusal = ClaimRules.mismatch(view, waiter.claim());
        if (refusal == null && isFull(inFront(view.queue(), waiter.name()))) {
            refusal = Refusal.MAX_WAITERS;
        }
        if (refusal != null) {
            return refusal;
        }
        queue.entered(waiter, done);
        return new ClaimOutcome.Queued(waiter);
    }

    private static int inFront(List<QueuedTicket> queue, String name) {
        int place = 0;
        while (place < queue.size() && !queue.get(place).name().equals(name)) {
            place++;
        }
        return place;
    }
}
