package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.PendingGrant;
import io.flockgate.consul.format.QueuedTicket;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.ConsulException.Effect;
import io.flockgate.consul.kv.ConsulException.FailureKind;
import io.flockgate.consul.rules.FenceGuard;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.consul.environment.Environment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides claims on one key. For the key's own thread only.
 *
 * <ol>
 *   <li>If tickets of this gateway are being written, a claim that may queue queues behind them.
 *   <li>Otherwise take the last view if it is new enough, else read. If nobody waits and a slot is
 *       free, write the grant; after a conflict, read again.
 *   <li>If there is no free slot, or other gateways have taken it several times, a claim that may
 *       queue gets a ticket.
 *   <li>A claim is refused for the state of the key only on a view that was read after the claim
 *       began.
 *   <li>The write of a ticket returns the queue at that moment. If too many are in front, or the
 *       key has too many holders, the claim is refused, and the ticket is deleted.
 * </ol>
 */
final class KeyClaims {
    /** The maximum of attempts to take a free slot, for a claim that may queue. */
    private static final int TRIES_BEFORE_QUEUEING = 3;

    private final Environment environment;
    private final KeyStore store;
    private final LocalWaiters waiters;
    private final GrantMaker grants;
    private final SlotScheduler slots;
    private final HolderCount holderCount;
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
            SlotScheduler slots,
            HolderCount holderCount,
            TicketQueue tickets,
            KeyIndex keyIndex,
            FenceGuard fences,
            Transactions transactions,
            GatewaySettings settings) {
        this.environment = environment;
        this.store = store;
        this.waiters = waiters;
        this.grants = grants;
        this.slots = slots;
        this.holderCount = holderCount;
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
        if (mustQueueBehind(claim)) {
            return queueBehind(deadline);
        }
        KeyView view = slots.withoutDead(viewToDecide(claim, deadline), deadline);
        boolean fresh = false;
        for (int tries = 0; ; ) {
            Refusal refusal = refusal(view, claim, view.queue().size());
            if (refusal == null && isFree(view, claim) && (!claim.mayQueue() || tries < TRIES_BEFORE_QUEUEING)) {
                if (mayExist(view)) {
                    ClaimOutcome outcome = take(view, claim, claimant, deadline);
                    if (outcome != null) {
                        return outcome == Refusal.BUSY && claim.mayQueue() ? Optional.empty() : Optional.of(outcome);
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
            view = slots.withoutDead(tries == 0 ? store.read(deadline) : readAgain(tries, deadline), deadline);
            fresh = true;
        }
    }

    /** Whether this claim must queue behind tickets of this gateway that are being written. */
    private boolean mustQueueBehind(Claim claim) {
        KeyView last = store.last();
        return claim.mayQueue()
                && waiters.enqueuing() > 0
                && (last == null || ClaimRules.mismatch(last, claim) == null);
    }

    /**
     * Reads first if there may be too many waiters, because the ticket of a refused claim costs two
     * writes.
     */
    private Optional<ClaimOutcome> queueBehind(long deadline) {
        KeyView last = store.last();
        int known = last == null ? 0 : last.queue().size();
        boolean full = isFull(known + waiters.enqueuing())
                && isFull(store.read(deadline).queue().size());
        return full ? Optional.of(Refusal.MAX_WAITERS) : Optional.empty();
    }

    /**
     * A view that is new enough to decide a claim. While other claims of this gateway wait, a watch
     * keeps the last view up to date. For a claim that will queue that view is enough, because the
     * write of its ticket returns the queue.
     */
    private KeyView viewToDecide(Claim claim, long deadline) {
        KeyView last = store.last();
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

    private boolean isFull(int waiting) {
        return settings.limits().maxWaiters() > 0
                && waiting >= settings.limits().maxWaiters();
    }

    /** Whether the key exists, or may be created. */
    private boolean mayExist(KeyView view) {
        return view.exists() || keyIndex.reserve(view.path());
    }

    /**
     * Takes a free slot. Busy while Consul's lock delay keeps it free; null when somebody else has
     * changed the key.
     */
    private @Nullable ClaimOutcome take(KeyView view, Claim claim, Claimant claimant, long deadline) {
        if (!holderCount.take(claim.kind())) {
            notMade(view);
            return Refusal.MAX_HOLDERS;
        }
        ClaimOutcome outcome = null;
        try {
            PendingGrant pending = grants.prepare(view, claim, claimant);
            outcome = switch (write(view, pending, deadline)) {
                case WriteOutcome.Done done -> held(pending, claim, claimant, done);
                case WriteOutcome.Refused refused -> refused.byLockDelay() ? Refusal.BUSY : null;
            };
            return outcome;
        } finally {
            if (!(outcome instanceof ClaimOutcome.Held)) {
                holderCount.giveBack(claim.kind());
            }
        }
    }

    private WriteOutcome write(KeyView view, PendingGrant pending, long deadline) {
        WriteOutcome outcome = grants.write(
                transactions.takeFree(view, pending),
                pending,
                after -> after.slotOf(pending.nonce()).isPresent(),
                deadline);
        if (outcome instanceof WriteOutcome.Refused) {
            notMade(view);
        }
        return outcome;
    }

    private void notMade(KeyView view) {
        if (!view.exists()) {
            keyIndex.notMade(view.path());
        }
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

    /**
     * Decides a claim whose ticket has been written. The write returned the queue at that moment.
     * Only the tickets in front count. After a refusal the caller has to delete the ticket.
     *
     * @param watched whether a watch of the key runs
     */
    ClaimOutcome joined(LocalWaiter waiter, WriteOutcome.Done done, boolean watched) {
        KeyView view = done.view();
        store.acceptWrite(view, watched);
        Refusal refusal = refusal(view, waiter.claim(), inFront(view, waiter.name()));
        if (refusal != null) {
            return refusal;
        }
        tickets.joined(waiter, done);
        return new ClaimOutcome.Queued(waiter);
    }

    /**
     * @param inFront the number of waiters in front of the claim
     */
    private @Nullable Refusal refusal(KeyView view, Claim claim, int inFront) {
        Refusal mismatch = ClaimRules.mismatch(view, claim);
        if (mismatch != null) {
            return mismatch;
        }
        if (isFull(inFront)) {
            return Refusal.MAX_WAITERS;
        }
        boolean tooMany = ClaimRules.exceedsHolders(
                view, claim, inFront, settings.limits().maxHoldersPerKey());
        return tooMany ? Refusal.MAX_HOLDERS_PER_KEY : null;
    }

    /** None if the ticket has gone, because another gateway has granted its offer. */
    private static int inFront(KeyView view, String ticket) {
        if (view.ticket(ticket).isEmpty()) {
            return 0;
        }
        List<QueuedTicket> queue = view.queue();
        int count = 0;
        while (count < queue.size() && !queue.get(count).name().equals(ticket)) {
            count++;
        }
        return count;
    }
}
