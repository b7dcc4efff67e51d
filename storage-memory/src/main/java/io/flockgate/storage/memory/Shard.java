package io.flockgate.storage.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageLimits;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.kept.GrantRecord;
import io.flockgate.storage.memory.kept.KeptAnswer;
import io.flockgate.storage.memory.kept.ShardChanges;
import io.flockgate.storage.rules.ClaimLimits;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import io.flockgate.storage.rules.KeyStateListener;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys, guarded by one monitor. No call holds two monitors. Each call:
 *
 * <ol>
 *   <li>takes the monitor, reads the clock, and finds the key;
 *   <li>applies the rules of the key, which report their changes to this shard as a {@link
 *       KeyStateListener};
 *   <li>updates deadlines and idle keys;
 *   <li>leaves the monitor and notifies claimants.
 * </ol>
 */
final class Shard implements KeyStateListener {
    /**
     * The maximum of keys or leases that are handled without leaving the monitor, so that no caller
     * waits long.
     */
    private static final int BATCH = 256;

    private final LongSupplier clock;
    private final TokenGenerator tokens;
    private final Capacity keyCapacity;
    private final ClaimLimits limits;
    private final Alarm alarm;

    @GuardedBy("this")
    private final HolderAllowance holders;

    @GuardedBy("this")
    private final KeyTable keys;

    @GuardedBy("this")
    private final Deadlines deadlines = new Deadlines();

    @GuardedBy("this")
    private final IdleKeys idle = new IdleKeys();

    @GuardedBy("this")
    private final StalledKeys stalled = new StalledKeys();

    @GuardedBy("this")
    private final PendingNotifications notifications = new PendingNotifications();

    @GuardedBy("this")
    private final @Nullable ShardChanges kept;

    /**
     * @param keyCapacity the room for keys of all shards
     * @param holderCapacity the room for holders of semaphores of all shards
     * @param kept the grants that outlive the process; null if none does
     */
    Shard(
            int skippedBits,
            LongSupplier clock,
            TokenGenerator tokens,
            StorageLimits limits,
            Capacity keyCapacity,
            Capacity holderCapacity,
            Alarm alarm,
            @Nullable ShardChanges kept) {
        this.keys = new KeyTable(skippedBits);
        this.clock = clock;
        this.tokens = tokens;
        this.keyCapacity = keyCapacity;
        this.holders = new HolderAllowance(holderCapacity);
        this.limits = new ShardLimits(limits, holders);
        this.alarm = alarm;
        this.kept = kept;
    }

    ClaimOutcome claim(Claim claim, Claimant claimant) {
        return claim(claim, claimant, null);
    }

    /**
     * @param answer gets the grant that must be durable before the outcome is told; null if the
     *     claimant's grants end with the process
     */
    ClaimOutcome claim(Claim claim, Claimant claimant, @Nullable KeptAnswer answer) {
        ClaimOutcome outcome;
        @Nullable PendingNotification pending;
        synchronized (this) {
            long now = clock.getAsLong();
            StoredKey key = keys.find(claim.key());
            if (key == null) {
                Refusal refusal = keyTooMany(claim.kind());
                if (refusal != null) {
                    return refusal;
                }
                key = new StoredKey(claim.key(), claim.kind(), claim.limit(), now);
                keys.add(key);
            }
            long before = key.lastActivity();
            try {
                outcome = key.claim(claim, claimant, now, limits, tokens, this);
            } finally {
                if (!key.listedIdle || !key.isIdle() || key.lastActivity() != before) {
                    listIfIdle(key);
                }
                pending = endCall();
            }
            if (answer != null && kept != null && outcome instanceof Held) {
                answer.waitFor(kept.last());
            }
        }
        PendingNotification.sendAll(pending);
        return outcome;
    }

    /**
     * Takes room for a new key, unless there is none for it or for its holder. A refused claim
     * leaves no key.
     */
    @GuardedBy("this")
    private @Nullable Refusal keyTooMany(Kind kind) {
        if (!keyCapacity.take()) {
            return Refusal.MAX_LOCKS;
        }
        if (kind == Kind.SEMAPHORE && !holders.hasRoom()) {
            keyCapacity.giveBack(1);
            return Refusal.MAX_HOLDERS;
        }
        return null;
    }

    LeaveOutcome leave(Waiter waiter) {
        synchronized (this) {
            if (!waiter.state().leave(waiter, clock.getAsLong())) {
                return LeaveOutcome.GRANTED;
            }
            listIfIdle((StoredKey) waiter.state());
            return LeaveOutcome.LEFT;
        }
    }

    ReleaseOutcome release(Key name, Token token) {
        @Nullable PendingNotification pending;
        synchronized (this) {
            StoredKey key = keys.find(name);
            if (key == null || key.release(token, clock.getAsLong(), tokens, this) == ReleaseOutcome.NOT_HELD) {
                return ReleaseOutcome.NOT_HELD;
            }
            listIfIdle(key);
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
        return ReleaseOutcome.RELEASED;
    }

    EvictOutcome evict(Key name, long fence) {
        EvictOutcome outcome = change(name, (key, now) -> key.evict(fence, now, tokens, this));
        return outcome == null ? EvictOutcome.NOT_HELD : outcome;
    }

    RemoveOutcome remove(Key name, long number) {
        Waiter waiter = change(name, (key, now) -> key.remove(number, now));
        if (waiter == null) {
            return RemoveOutcome.NOT_QUEUED;
        }
        PendingNotification.sendRemoved(waiter);
        return RemoveOutcome.REMOVED;
    }

    private <T> @Nullable T change(Key name, KeyFunction<T> change) {
        @Nullable T result;
        @Nullable PendingNotification pending;
        synchronized (this) {
            StoredKey key = keys.find(name);
            if (key == null) {
                return null;
            }
            result = change.of(key, clock.getAsLong());
            if (!key.listedIdle || !key.isIdle()) {
                listIfIdle(key);
            }
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
        return result;
    }

    RenewOutcome renew(Key name, Token token, long leaseSeconds) {
        RenewOutcome outcome;
        @Nullable PendingNotification pending;
        synchronized (this) {
            StoredKey key = keys.find(name);
            if (key == null) {
                return RenewOutcome.NOT_HELD;
            }
            outcome = key.renew(token, leaseSeconds, clock.getAsLong(), tokens, this);
            if (outcome == RenewOutcome.LEASE_EXPIRED) {
                listIfIdle(key);
            }
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
        return outcome;
    }

    /** Ends a batch of the leases that are due; true when there may be more of them. */
    boolean endDueLeases() {
        @Nullable PendingNotification pending;
        boolean more;
        synchronized (this) {
            long now = clock.getAsLong();
            Holder due = dueAt(now);
            for (int n = 0; n < BATCH && due != null; n++, due = dueAt(now)) {
                deadlines.remove(due);
                due.state().expire(due, now, tokens, this);
                listIfIdle((StoredKey) due.state());
            }
            more = due != null;
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
        return more;
    }

    @GuardedBy("this")
    private @Nullable Holder dueAt(long now) {
        Holder first = deadlines.first();
        return first != null && now - first.leaseEndNanos() >= 0 ? first : null;
    }

    /** Grants the slots that waiters did not get before because the grants could not be made. */
    void retryStalled() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            stalled.retry(clock.getAsLong(), tokens, this);
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
    }

    /**
     * Forgets a batch of the keys that have been idle for longer than the given time; true when
     * there may be more of them.
     */
    synchronized boolean forgetIdle(long nanos) {
        long now = clock.getAsLong();
        for (int n = 0; n < BATCH; n++) {
            StoredKey key = idle.longestIdle();
            if (key == null || now - key.lastActivity() <= nanos) {
                return false;
            }
            idle.unlist(key);
            keys.remove(key);
            keyCapacity.giveBack(1);
        }
        return true;
    }

    synchronized int idleKeys() {
        return idle.size();
    }

    /**
     * The time to the next lease end, negative when one is due; {@code otherwise} when no lease
     * runs.
     */
    synchronized long nanosToNextEnd(long otherwise) {
        Holder first = deadlines.first();
        return first == null ? otherwise : first.leaseEndNanos() - clock.getAsLong();
    }

    /** Holds a grant of the process before again; null if it does not fit into its key. */
    synchronized @Nullable Holder restore(GrantRecord grant, Claimant claimant, long grantedAt) {
        long now = clock.getAsLong();
        StoredKey key = keys.find(grant.key());
        if (key == null) {
            key = new StoredKey(grant.key(), grant.kind(), grant.slots(), now);
            keys.add(key);
            keyCapacity.takeInAnyCase(1);
        }
        boolean fits = key.kind() == grant.kind() && key.limit() == grant.slots();
        Holder holder = fits ? key.restore(claimant, grant.token(), grantedAt, grant.leaseSeconds(), now) : null;
        if (holder != null) {
            added(holder);
            holders.settle();
        }
        return holder;
    }

    /** Ends every grant as lost, except those that outlive the process. */
    void close() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            Holder holder = deadlines.first();
            for (; holder != null; holder = deadlines.first()) {
                if (kept != null && kept.keeps(holder)) {
                    deadlines.remove(holder);
                } else {
                    ended(holder, Ending.LOST);
                }
            }
            pending = endCall();
        }
        PendingNotification.sendAll(pending);
    }

    synchronized <T> @Nullable T view(Key name, KeyFunction<T> view) {
        StoredKey key = keys.find(name);
        return key == null ? null : view.of(key, clock.getAsLong());
    }

    /**
     * Visits up to {@code max} keys in order, from the first after {@code after}. Returns the last
     * visited key if there may be more.
     */
    synchronized @Nullable Key scan(@Nullable Key after, int max, Function<KeyState, Boolean> visitor) {
        Key last = after;
        for (int n = 0; n < max; n++) {
            StoredKey key = keys.successor(last);
            if (key == null) {
                return null;
            }
            last = key.key();
            if (!visitor.apply(key)) {
                return last;
            }
        }
        return last;
    }

    @GuardedBy("this")
    private void listIfIdle(StoredKey key) {
        if (key.isIdle()) {
            idle.list(key);
        } else if (key.listedIdle) {
            idle.unlist(key);
        }
    }

    /**
     * Ends a call under the monitor: counts the holders, and takes out the notifications to send.
     */
    @GuardedBy("this")
    private @Nullable PendingNotification endCall() {
        holders.settle();
        if (kept != null) {
            kept.settle();
        }
        return notifications.takeAll();
    }

    @Override
    @GuardedBy("this")
    public boolean canHold(Claimant claimant) {
        return kept == null || kept.canHold(claimant);
    }

    @Override
    @GuardedBy("this")
    public void held(Holder holder) {
        added(holder);
        if (kept != null) {
            kept.held(holder);
        }
    }

    @GuardedBy("this")
    private void added(Holder holder) {
        if (holder.kind() == Kind.SEMAPHORE) {
            holders.added();
        }
        deadlines.add(holder);
        alarm.atLatest(holder.leaseEndNanos());
    }

    @Override
    @GuardedBy("this")
    public void renewed(Holder holder) {
        deadlines.moved(holder);
        alarm.atLatest(holder.leaseEndNanos());
    }

    @Override
    @GuardedBy("this")
    public void ended(Holder holder, Ending ending) {
        if (holder.kind() == Kind.SEMAPHORE) {
            holders.removed();
        }
        deadlines.remove(holder);
        if (kept != null) {
            kept.ended(holder);
        }
        notifications.add(PendingNotification.ended(holder, ending));
    }

    @Override
    @GuardedBy("this")
    public void promoted(Waiter waiter, Holder holder) {
        if (kept == null || !kept.promoted(waiter)) {
            notifications.add(PendingNotification.granted(waiter, holder));
        }
    }

    @Override
    @GuardedBy("this")
    public void stalled(KeyState key) {
        stalled.add((StoredKey) key);
    }
}
