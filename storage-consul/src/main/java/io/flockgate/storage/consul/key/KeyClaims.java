package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.consul.format.HolderMark.PendingGrant;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.key.ClaimState.Decision;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvList;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out and answers claims on one key. For the key's own thread only.
 *
 * <ol>
 *   <li>Take the last view if that is recent enough, otherwise read again. Evict dead heads, and
 *       free the slots of dead holders. Then {@link ClaimState} decides.
 *   <li>If the decision is to take a slot or to read again, do that, and decide again from the
 *       outcome.
 *   <li>A claim that would make the read of all keys too large is refused ({@link
 *       LocalGateway.ReadBudget}).
 *   <li>A claim that must queue becomes a waiter, whose ticket is written on another thread ({@link
 *       TicketWriter}). The result comes back as an urgent task, which answers the claim. The write
 *       returns the queue as of that write. If it shows too many waiters in front, the claim is
 *       refused, and a later task deletes its ticket.
 * </ol>
 */
final class KeyClaims {
    private final LocalKey key;
    private final CallRunner calls;
    private final GrantMaker grants;
    private final Evictor evictor;
    private final TicketQueue tickets;
    private final StorageLimits limits;
    private final KeyView empty;

    KeyClaims(LocalKey key, CallRunner calls, GrantMaker grants, Evictor evictor, TicketQueue tickets) {
        this.key = key;
        this.calls = calls;
        this.grants = grants;
        this.evictor = evictor;
        this.tickets = tickets;
        this.limits = key.settings.limits();
        this.empty = KeyView.of(key.path, new KvList(List.of(), 1));
    }

    /**
     * Carries out a claim.
     *
     * @return null when a later task completes the answer
     * @throws ConsulException if the claim cannot be decided by the deadline
     */
    @Nullable
    ClaimOutcome claim(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer, long deadline) {
        ClaimOutcome decided = decide(claim, claimant, deadline);
        if (decided == null) {
            join(claim, claimant, answer, deadline);
            return null;
        }
        return noteUse(decided);
    }

    private ClaimOutcome noteUse(ClaimOutcome outcome) {
        if (outcome != Refusal.KIND_MISMATCH && outcome != Refusal.LIMIT_MISMATCH) {
            key.touch();
        }
        return outcome;
    }

    /** Grants a slot, or refuses the claim. Returns null if the claim must get a ticket. */
    private @Nullable ClaimOutcome decide(Claim claim, Claimant claimant, long deadline) {
        ClaimState state = begin(claim, deadline);
        while (true) {
            switch (state.decide()) {
                case Decision.Take take -> state = take(state, claimant, deadline);
                case Decision.ReadAgain again -> state = readAgain(state, deadline);
                case Decision.Queue queue -> {
                    return reserveBytes() ? null : Refusal.MAX_WAITERS;
                }
                case Decision.Answer answer -> {
                    return answer.outcome();
                }
            }
        }
    }

    /**
     * Begins a claim. Nothing is read for a claim that queues behind tickets that this gateway is
     * writing.
     */
    private ClaimState begin(Claim claim, long deadline) {
        KeyView last = key.store.lastOr(empty);
        int enqueuing = key.waiters.enqueuing();
        if (claim.mayQueue() && enqueuing > 0 && ClaimState.mismatch(last, claim) == null) {
            return ClaimState.of(claim, limits, last, enqueuing);
        }
        return ClaimState.of(claim, limits, evictor.evictDeadFrom(viewToDecide(claim, deadline), deadline), 0);
    }

    /**
     * A view that is recent enough to decide a claim. While other claims of this gateway wait, a
     * watch keeps the last view up to date. That is enough for a claim that will queue, because the
     * write of its ticket returns the queue.
     */
    private KeyView viewToDecide(Claim claim, long deadline) {
        KeyView last = key.store.last();
        boolean othersWait = claim.mayQueue() && !key.waiters.isEmpty();
        return last != null && othersWait && !ClaimState.isFree(last, claim) ? last : key.store.lastOrRead(deadline);
    }

    private ClaimState readAgain(ClaimState state, long deadline) {
        if (state.tries() > 0 && key.now() - deadline >= 0) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many conflicts with other users of this key");
        }
        return state.read(evictor.evictDeadFrom(key.store.readAfterConflict(state.tries(), deadline), deadline));
    }

    private ClaimState take(ClaimState state, Claimant claimant, long deadline) {
        if (!reserveKey(state.view())) {
            return state.taken(Refusal.MAX_LOCKS);
        }
        ClaimOutcome outcome = take(state.view(), state.claim(), claimant, deadline);
        return outcome == null ? state.conflict() : state.taken(outcome);
    }

    /** Counts a key that is to be created. Returns false if there is no room for it. */
    private boolean reserveKey(KeyView view) {
        return view.exists() || (reserveBytes() && key.gateway.keyCount.reserve(view.path()));
    }

    private boolean reserveBytes() {
        return key.gateway.readBudget.reserve(key.path);
    }

    /**
     * Counts a new slot of a semaphore that exists. The one slot of a lock was counted with its
     * key.
     */
    private boolean reserveSlot(KeyView view, Claim claim) {
        return claim.kind() == Kind.LOCK || !view.exists() || reserveBytes();
    }

    /**
     * Takes a free slot. Returns {@link Refusal#BUSY} if Consul's lock delay blocks the slot, and
     * null if Consul refuses the write otherwise, usually because another gateway has changed the
     * key.
     */
    private @Nullable ClaimOutcome take(KeyView view, Claim claim, Claimant claimant, long deadline) {
        long counted = LocalGrants.counted(claim.kind());
        if (!reserveSlot(view, claim) || key.gateway.holders.takeUpTo(counted) < counted) {
            notMade(view);
            return Refusal.MAX_HOLDERS;
        }
        try {
            PendingGrant pending = grants.prepare(view, claim, claimant);
            return switch (write(view, pending, deadline)) {
                case WriteOutcome.Done done -> held(pending, claimant, done);
                case WriteOutcome.Refused refused -> refused.byLockDelay() ? Refusal.BUSY : null;
            };
        } finally {
            // A grant that was made has been counted by then.
            key.gateway.holders.giveBack(counted);
        }
    }

    private WriteOutcome write(KeyView view, PendingGrant pending, long deadline) {
        WriteOutcome outcome = grants.write(
                key.transactions.takeFree(view, pending),
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
            key.gateway.keyCount.notMade(view.path());
        }
    }

    private ClaimOutcome held(PendingGrant pending, Claimant claimant, WriteOutcome.Done done) {
        LocalGrant grant = grants.confirm(pending, claimant, done);
        if (grant == null) {
            throw new ConsulException(
                    FailureKind.UNAVAILABLE,
                    Effect.UNKNOWN,
                    key.gateway.fences.whyUnsafe().orElseGet(() -> key.sessions.whyUnsafe(pending.session())));
        }
        return new ClaimOutcome.Held(grant);
    }

    private void join(Claim claim, Claimant claimant, Promise<ClaimOutcome> answer, long deadline) {
        LocalWaiter waiter = tickets.waiter(claim, claimant);
        Future<WriteOutcome.Done> unused = tickets.join(waiter, deadline)
                .onSuccess(done -> answerLater(waiter, answer, () -> joined(waiter, done)))
                .onFailure(cause -> answerLater(waiter, answer, () -> {
                    throw (ConsulException) cause;
                }));
    }

    private void answerLater(LocalWaiter waiter, Promise<ClaimOutcome> answer, Supplier<ClaimOutcome> outcome) {
        boolean open = calls.executeUrgently(() -> calls.answer(answer, () -> {
            try {
                return outcome.get();
            } catch (RuntimeException | Error e) {
                tickets.notJoined(waiter);
                throw e;
            }
        }));
        if (!open) {
            answer.fail(StorageExceptions.closed());
        }
    }

    /**
     * Decides a claim whose ticket has been written, from the queue that the write returned. Only
     * the tickets in front count.
     */
    private ClaimOutcome joined(LocalWaiter waiter, WriteOutcome.Done done) {
        KeyView view = done.view();
        key.store.acceptWrite(view, key.watched);
        Refusal refusal = ClaimState.refusal(view, waiter.claim(), ClaimState.inFront(view, waiter.name()), limits);
        if (refusal != null) {
            // In a separate task, so that earlier calls to renew and leave run first.
            boolean unused = calls.execute(() -> reject(waiter));
            return noteUse(refusal);
        }
        tickets.joined(waiter, done);
        return noteUse(new ClaimOutcome.Queued(waiter));
    }

    private void reject(LocalWaiter waiter) {
        if (!calls.isClosed()) {
            tickets.reject(waiter, calls.deadline());
        }
    }
}
