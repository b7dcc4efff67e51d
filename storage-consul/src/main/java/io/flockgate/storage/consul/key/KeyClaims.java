package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.PendingGrant;
import io.flockgate.storage.consul.layout.QueuedTicket;
import io.flockgate.storage.consul.layout.Transactions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides claims on one key. For the key's own thread only.
 *
 * <ol>
 *   <li>If tickets of this gateway are being written, a claim that may queue queues behind them.
 *   <li>Otherwise take the last view if it is new enough, else read. If nobody waits and a slot is free, write the grant; after a
 *       conflict, read again.
 *   <li>If there is no free slot, or other gateways have taken it several times, a claim that may queue gets a ticket.
 *   <li>A claim is refused only on a view that was read after the claim began.
 *   <li>The write of a ticket returns the queue at that moment. If too many are in front, the claim is refused, and the ticket is
 *       deleted.
 * </ol>
 */
final class KeyClaims {
    /** The maximum of attempts to take a free slot, for a claim that may queue. */
    private static final int TRIES_BEFORE_QUEUEING = 3;

    private final Environment environment;
    private final KeyStore store;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final TicketQueue tickets;
    private final KeyIndex keyIndex;
    private final FenceGuard fences;
    private final Transactions transactions;
    private final GatewaySettings settings;

    KeyClaims(
            Environment environment,
            KeyStore store,
            LocalWaiters waiters,
            GrantMaker grants,
            TicketQueue tickets,
            KeyIndex keyIndex,
            FenceGuard fences,
            Transactions transactions,
            GatewaySettings settings) {
        this.environment = environment;
        this.store = store;
        this.waiters = waiters;
        this.grants = grants;
        this.tickets = tickets;
        this.keyIndex = keyIndex;
        this.fences = fences;
        this.transactions = transactions;
        this.settings = settings;
    }

    /**
     * Grants a slot, or refuses the claim.
     *
     * @return empty when the claim is to get a ticket
     * @throws ConsulException when the claim cannot be decided by the deadline
     */
    Optional<ClaimOutcome> claim(Claim claim, Claimant claimant, long deadline) {
        if (mustFollow(claim)) {
            return follow(deadline);
        }
        KeyView view = enoughToDecide(claim, deadline);
        boolean fresh = false;
        for (int tries = 0; ; ) {
            Refusal refusal = refusal(view, claim);
            if (isFree(view, claim) && (!claim.mayQueue() || tries < TRIES_BEFORE_QUEUEING)) {
                if (mayExist(view)) {
                    PendingGrant pending = grants.prepare(view, claim);
                    switch (take(view, pending, deadline)) {
                        case WriteOutcome.Done done -> {
                            return Optional.of(held(pending, claim, claimant, done));
                        }
                        case WriteOutcome.Refused refused -> {
                            if (refused.byLockDelay()) {
                                return delayed(claim);
                            }
                        }
                    }
                } else if (fresh) {
                    return Optional.of(Refusal.MAX_LOCKS);
                }
                tries++;
            } else if (refusal == null && claim.mayQueue()) {
                return Optional.empty();
            } else if (fresh) {
                return Optional.of(refusal == null ? Refusal.BUSY : refusal);
            }
            view = tries == 0 ? store.read(deadline) : readAgain(tries, deadline);
            fresh = true;
        }
    }

    /** Whether this claim must queue behind tickets of this gateway that are being written. */
    private boolean mustFollow(Claim claim) {
        KeyView last = store.seen();
        return claim.mayQueue() && waiters.entering() > 0 && (last == null || ClaimRules.mismatch(last, claim) == null);
    }

    /** Reads first if there may be too many waiters, because the ticket of a refused claim costs two writes. */
    private Optional<ClaimOutcome> follow(long deadline) {
        KeyView last = store.seen();
        int known = last == null ? 0 : last.queue().size();
        boolean full = isFull(known + waiters.entering())
                && isFull(store.read(deadline).queue().size());
        return full ? Optional.of(Refusal.MAX_WAITERS) : Optional.empty();
    }

    /**
     * A view that is new enough. While other claims of this gateway wait, a watch keeps the last view up to date. That view is enough
     * for a claim that will queue, because the write of its ticket returns the queue.
     */
    private KeyView enoughToDecide(Claim claim, long deadline) {
        KeyView last = store.seen();
        boolean othersWait = claim.mayQueue() && !waiters.isEmpty();
        return last != null && othersWait && !isFree(last, claim) ? last : store.lastOrRead(deadline);
    }

    private static boolean isFree(KeyView view, Claim claim) {
        return view.head().isEmpty() && ClaimRules.hasRoom(view, claim, null);
    }

    private KeyView readAgain(int conflicts, long deadline) {
        if (environment.now() - deadline >= 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many conflicts with other users of this key");
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
        return settings.maxWaiters() > 0 && waiting >= settings.maxWaiters();
    }

    /** Whether the key exists, or may be made. */
    private boolean mayExist(KeyView view) {
        return view.exists() || keyIndex.reserve(view.path());
    }

    private WriteOutcome take(KeyView view, PendingGrant pending, long deadline) {
        WriteOutcome outcome = grants.write(
                transactions.takeFree(view, pending),
                pending,
                after -> after.slotOf(pending.nonce()).isPresent(),
                deadline);
        if (outcome instanceof WriteOutcome.Refused && !view.exists()) {
            keyIndex.notMade(view.path());
        }
        return outcome;
    }

    private ClaimOutcome held(PendingGrant pending, Claim claim, Claimant claimant, WriteOutcome.Done done) {
        LocalGrant grant = grants.confirm(pending, claim, claimant, done);
        if (grant == null) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.UNKNOWN,
                    fences.whyUnsafe().orElse("the session of the grant has ended"));
        }
        return new ClaimOutcome.Held(grant);
    }

    /** The outcome while Consul's lock delay keeps a slot free, because its last holder died. */
    private static Optional<ClaimOutcome> delayed(Claim claim) {
        return claim.mayQueue() ? Optional.empty() : Optional.of(Refusal.BUSY);
    }

    /**
     * Decides a claim whose ticket has been written. The write returned the queue of that moment, and only the tickets
     * in front count. After a refusal the caller has to delete the ticket.
     *
     * @param watched whether a watch of the key runs
     */
    ClaimOutcome entered(LocalWaiter waiter, WriteOutcome.Done done, boolean watched) {
        KeyView view = done.view();
        store.take(view, watched);
        Refusal refusal = ClaimRules.mismatch(view, waiter.claim());
        if (refusal == null && isFull(inFront(view.queue(), waiter.name()))) {
            refusal = Refusal.MAX_WAITERS;
        }
        if (refusal != null) {
            return refusal;
        }
        tickets.entered(waiter, done);
        return new ClaimOutcome.Queued(waiter);
    }

    private static int inFront(List<QueuedTicket> queue, String ticket) {
        int count = 0;
        while (count < queue.size() && !queue.get(count).name().equals(ticket)) {
            count++;
        }
        return count;
    }
}
