package io.flockgate.storage.rules;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Queued;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Token;
import io.flockgate.storage.WaitCounts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One key: its holders, its queue and the time of its last activity.
 *
 * <p>Invariant between calls: a slot is free only if the queue is empty or the grant cannot be made
 * now. An idle semaphore takes the limit of the next claim. After a lower limit was set, there may
 * be more holders than slots, and no slot is free until enough of them have gone. {@code now} is
 * the reading of a monotonic nanosecond clock that may wrap; times are compared by difference.
 */
public class KeyState {
    private final Key key;
    private final Kind kind;
    private long limit;
    private long lastActivity;

    /** The holder of a lock; semaphores have {@link #holders} instead. */
    private @Nullable Holder sole;

    private @Nullable Holders holders;
    private @Nullable WaitQueue queue;

    public KeyState(Key key, Kind kind, long limit, long now) {
        this.key = key;
        this.kind = kind;
        this.limit = limit;
        this.lastActivity = now;
    }

    /** Returns a slot, a place at the end of the queue, or the reason for neither. */
    public ClaimOutcome claim(
            Claim claim,
            Claimant claimant,
            long now,
            ClaimLimits limits,
            TokenGenerator tokens,
            KeyStateListener listener) {
        if (claim.kind() != kind) {
            return Refusal.KIND_MISMATCH;
        }
        if (claim.limit() != limit) {
            expire(now, tokens, listener);
            if (!isIdle()) {
                return Refusal.LIMIT_MISMATCH;
            }
            limit = claim.limit();
        }
        lastActivity = now;
        expire(now, tokens, listener);
        promote(now, tokens, listener);
        if (hasFreeSlot()) {
            Refusal refusal = kind == Kind.LOCK ? null : holderTooMany(limits);
            return refusal != null ? refusal : hold(claim, claimant, now, tokens, listener);
        }
        if (limits.maxWaiters() > 0 && waiterCount() >= limits.maxWaiters()) {
            return Refusal.MAX_WAITERS;
        }
        if (!claim.mayQueue()) {
            return Refusal.BUSY;
        }
        Waiter waiter = new Waiter(this, claimant, claim.leaseSeconds(), now);
        if (queue == null) {
            queue = new WaitQueue(now);
        }
        queue.join(waiter);
        return new Queued(waiter);
    }

    private static @Nullable Refusal holderTooMany(ClaimLimits limits) {
        return limits.hasRoomForHolder() ? null : Refusal.MAX_HOLDERS;
    }

    private Held hold(Claim claim, Claimant claimant, long now, TokenGenerator tokens, KeyStateListener listener) {
        Holder holder = waiterCount() > 0 ? null : add(claimant, claim.leaseSeconds(), now, tokens, listener);
        if (holder == null) {
            throw ungrantable(claimant, listener);
        }
        return new Held(holder);
    }

    private StorageException ungrantable(Claimant claimant, KeyStateListener listener) {
        Waiter head = queue == null ? null : queue.head();
        return listener.canHold(head == null ? claimant : head.claimant())
                ? new StorageException(FailureKind.FENCE, Effect.NOT_DONE, "no fence can be issued")
                : new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "no grant can be made durable");
    }

    /** Takes a waiter out of the queue; returns false when it is no longer queued. */
    public boolean leave(Waiter waiter, long now) {
        if (queue == null || !queue.leave(waiter)) {
            return false;
        }
        forgetEmptyQueue();
        lastActivity = now;
        return true;
    }

    /**
     * Ends the grant of this token, even when its lease has expired, and grants the next waiters.
     */
    public ReleaseOutcome release(Token token, long now, TokenGenerator tokens, KeyStateListener listener) {
        Holder holder = find(token);
        if (holder == null) {
            return ReleaseOutcome.NOT_HELD;
        }
        end(holder, Ending.RELEASED, now, listener);
        promote(now, tokens, listener);
        return ReleaseOutcome.RELEASED;
    }

    /** Ends the grant with this fence, without its token, and grants the next waiters. */
    public EvictOutcome evict(long fence, long now, TokenGenerator tokens, KeyStateListener listener) {
        expire(now, tokens, listener);
        if (holderCount() == 0) {
            return EvictOutcome.NOT_HELD;
        }
        Holder holder = sole != null || holders == null ? sole : holders.find(fence);
        if (holder == null || holder.fence() != fence) {
            return EvictOutcome.FENCE_MISMATCH;
        }
        end(holder, Ending.EVICTED, now, listener);
        promote(now, tokens, listener);
        return EvictOutcome.EVICTED;
    }

    /** Changes the limit of a semaphore, and grants free slots to the next waiters. */
    public LimitOutcome setLimit(long newLimit, long now, TokenGenerator tokens, KeyStateListener listener) {
        if (kind == Kind.LOCK) {
            return LimitOutcome.NO_SEMAPHORE;
        }
        limit = newLimit;
        expire(now, tokens, listener);
        promote(now, tokens, listener);
        return LimitOutcome.CHANGED;
    }

    /**
     * Takes the waiter with this number out of the queue, and returns it; null when it is not
     * queued.
     */
    public @Nullable Waiter remove(long number, long now) {
        Waiter waiter = queue == null ? null : queue.find(number);
        return waiter != null && leave(waiter, now) ? waiter : null;
    }

    /**
     * Restarts the lease of this token's grant. If the lease has expired, ends the grant and grants
     * the next waiters.
     */
    public RenewOutcome renew(
            Token token, long leaseSeconds, long now, TokenGenerator tokens, KeyStateListener listener) {
        Holder holder = find(token);
        if (holder == null) {
            return RenewOutcome.NOT_HELD;
        }
        if (holder.hasEnded(now)) {
            end(holder, Ending.EXPIRED, now, listener);
            promote(now, tokens, listener);
            return RenewOutcome.LEASE_EXPIRED;
        }
        lastActivity = now;
        long end = Leases.end(now, leaseSeconds);
        if (holders == null) {
            holder.leaseEnds(end);
        } else {
            holders.leaseEnds(holder, end);
        }
        listener.renewed(holder);
        return RenewOutcome.RENEWED;
    }

    /** Ends every grant whose lease has ended, and grants the next waiters. */
    public void expire(long now, TokenGenerator tokens, KeyStateListener listener) {
        List<Holder> ended = ended(now);
        for (Holder holder : ended) {
            end(holder, Ending.EXPIRED, now, listener);
        }
        if (!ended.isEmpty()) {
            promote(now, tokens, listener);
        }
    }

    private List<Holder> ended(long now) {
        if (kind == Kind.LOCK) {
            return sole != null && sole.hasEnded(now) ? List.of(sole) : List.of();
        }
        return holders == null ? List.of() : holders.ended(now);
    }

    /** Ends one grant if its lease has expired and it has not ended before. */
    public void expire(Holder holder, long now, TokenGenerator tokens, KeyStateListener listener) {
        if (holder.hasEnded(now) && find(holder.token()) == holder) {
            end(holder, Ending.EXPIRED, now, listener);
            promote(now, tokens, listener);
        }
    }

    /**
     * Grants free slots to waiters, first come, first served. A waiter leaves the queue only after
     * its fence has been issued.
     */
    public void promote(long now, TokenGenerator tokens, KeyStateListener listener) {
        while (queue != null && hasFreeSlot()) {
            Waiter head = queue.head();
            if (head == null) {
                return;
            }
            Holder holder = add(head.claimant(), head.leaseSeconds(), now, tokens, listener);
            if (holder == null) {
                listener.stalled(this);
                return;
            }
            queue.leave(head);
            forgetEmptyQueue();
            listener.promoted(head, holder);
        }
    }

    private @Nullable Holder add(
            Claimant claimant, long leaseSeconds, long now, TokenGenerator tokens, KeyStateListener listener) {
        if (!listener.canHold(claimant)) {
            return null;
        }
        long fence = tokens.nextFence();
        if (fence == 0) {
            return null;
        }
        Holder holder = new Holder(this, claimant, fence, tokens.nextSalt(), now, Leases.end(now, leaseSeconds));
        add(holder);
        lastActivity = now;
        listener.held(holder);
        return holder;
    }

    private void add(Holder holder) {
        if (kind == Kind.LOCK) {
            sole = holder;
        } else {
            if (holders == null) {
                holders = new Holders();
            }
            holders.add(holder);
        }
    }

    /**
     * Adds a holder granted by an earlier process, and restarts its lease. Must be called in the
     * order of fences, and before any claim.
     *
     * @param limitThen the limit at the time of the grant, which the key now has until a newer
     *     grant is restored
     * @param grantedAt the time of the grant, by the clock of {@code now}
     * @return null if no slot is free; no holder is then added
     */
    public @Nullable Holder restore(
            Claimant claimant, Token token, long limitThen, long grantedAt, long leaseSeconds, long now) {
        limit = limitThen;
        if (!hasFreeSlot()) {
            return null;
        }
        Holder holder =
                new Holder(this, claimant, token.fence(), token.salt(), grantedAt, Leases.end(now, leaseSeconds));
        add(holder);
        return holder;
    }

    private void end(Holder holder, Ending ending, long now, KeyStateListener listener) {
        if (kind == Kind.LOCK) {
            sole = null;
        } else if (holders != null) {
            holders.remove(holder);
        }
        lastActivity = now;
        listener.ended(holder, ending);
    }

    private @Nullable Holder find(Token token) {
        Holder holder = kind == Kind.LOCK ? sole : holders == null ? null : holders.find(token.fence());
        return holder != null && token.matches(holder.fence(), holder.salt()) ? holder : null;
    }

    private void forgetEmptyQueue() {
        if (queue != null && queue.size() == 0) {
            queue = null;
        }
    }

    private boolean hasFreeSlot() {
        return holderCount() < limit;
    }

    public Key key() {
        return key;
    }

    public Kind kind() {
        return kind;
    }

    public long limit() {
        return limit;
    }

    /** The time of the last claim, grant, ending, renewal or leave. */
    public long lastActivity() {
        return lastActivity;
    }

    public int holderCount() {
        return sole != null ? 1 : holders == null ? 0 : holders.size();
    }

    public int waiterCount() {
        return queue == null ? 0 : queue.size();
    }

    /** Whether the key has neither holders nor waiters. */
    public boolean isIdle() {
        return sole == null && queue == null && (holders == null || holders.size() == 0);
    }

    public @Nullable Holder oldestHolder() {
        return sole != null || holders == null ? sole : holders.oldest();
    }

    /**
     * The oldest holders with a greater fence than this one, oldest first. Fences are unsigned, and
     * 0 is below all.
     */
    public List<Holder> holders(long afterFence, int max) {
        List<Holder> found = new ArrayList<>();
        Holder holder = firstHolder(afterFence);
        for (; holder != null && found.size() < max; holder = holder.next) {
            found.add(holder);
        }
        return found;
    }

    private @Nullable Holder firstHolder(long afterFence) {
        if (kind == Kind.SEMAPHORE) {
            return holders == null ? null : holders.after(afterFence);
        }
        return sole != null && Long.compareUnsigned(sole.fence(), afterFence) > 0 ? sole : null;
    }

    /** Counts the waiters of the queue by their waits at this time. */
    public WaitCounts waits(long now) {
        WaitCounts.Counter counter = new WaitCounts.Counter();
        Waiter waiter = queue == null ? null : queue.head();
        for (int i = 0; waiter != null && i < WaitCounts.MAX_WAITERS; i++) {
            counter.add(Math.max(0, now - waiter.queuedAtNanos()));
            waiter = waiter.next;
        }
        return counter.counts();
    }

    /** The first waiters of the queue, the head first. */
    public List<Waiter> waiters(int max) {
        List<Waiter> found = new ArrayList<>();
        Waiter waiter = queue == null ? null : queue.head();
        for (; waiter != null && found.size() < max; waiter = waiter.next) {
            found.add(waiter);
        }
        return found;
    }
}
