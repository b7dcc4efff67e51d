package io.flockgate.storage.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Key;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import io.flockgate.storage.rules.KeyStateListener;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.ArrayDeque;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys, guarded by one monitor. No call holds two monitors. Each call:
 *
 * <ol>
 *   <li>takes the monitor, reads the clock, and finds the key;
 *   <li>applies the rules of the key, which report their changes to this shard as a {@link KeyStateListener};
 *   <li>updates deadlines and idle keys;
 *   <li>leaves the monitor and notifies claimants.
 * </ol>
 */
final class Shard implements KeyStateListener {
    /** The maximum of keys or leases that are handled without leaving the monitor, so that no caller waits long. */
    private static final int BATCH = 256;

    private final LongSupplier clock;
    private final TokenGenerator tokens;
    private final Capacity capacity;
    private final long maxWaiters;
    private final Alarm alarm;

    @GuardedBy("this")
    private final KeyTable keys;

    @GuardedBy("this")
    private final Deadlines deadlines = new Deadlines();

    @GuardedBy("this")
    private final IdleKeys idle = new IdleKeys();

    @GuardedBy("this")
    private final ArrayDeque<StoredKey> starved = new ArrayDeque<>();

    @GuardedBy("this")
    private @Nullable PendingNotification firstPending;

    @GuardedBy("this")
    private @Nullable PendingNotification lastPending;

    /** Receives the end of every new or renewed lease, under the monitor. */
    interface Alarm {
        void atLatest(long nanos);
    }

    Shard(int skippedBits, LongSupplier clock, TokenGenerator tokens, Capacity capacity, long maxWaiters, Alarm alarm) {
        this.keys = new KeyTable(skippedBits);
        this.clock = clock;
        this.tokens = tokens;
        this.capacity = capacity;
        this.maxWaiters = maxWaiters;
        this.alarm = alarm;
    }

    ClaimOutcome claim(Claim claim, Claimant claimant) {
        ClaimOutcome outcome;
        @Nullable PendingNotification pending;
        synchronized (this) {
            long now = clock.getAsLong();
            StoredKey key = keys.find(claim.key());
            if (key == null) {
                if (!capacity.take()) {
                    return Refusal.MAX_LOCKS;
                }
                key = new StoredKey(claim.key(), claim.kind(), claim.limit(), now);
                keys.add(key);
            }
            long before = key.lastActivity();
            try {
                outcome = key.claim(claim, claimant, now, maxWaiters, tokens, this);
            } finally {
                if (!key.listedIdle || !key.isIdle() || key.lastActivity() != before) {
                    listIfIdle(key);
                }
                pending = takePending();
            }
        }
        PendingNotification.sendAll(pending);
        return outcome;
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
            pending = takePending();
        }
        PendingNotification.sendAll(pending);
        return ReleaseOutcome.RELEASED;
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
            pending = takePending();
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
            pending = takePending();
        }
        PendingNotification.sendAll(pending);
        return more;
    }

    @GuardedBy("this")
    private @Nullable Holder dueAt(long now) {
        Holder first = deadlines.first();
        return first != null && now - first.leaseEndNanos() >= 0 ? first : null;
    }

    /** Tries again to grant the slots that waiters did not get because no fence could be issued. */
    void retryStarved() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            long now = clock.getAsLong();
            for (int n = starved.size(); n > 0; n--) {
                StoredKey key = starved.remove();
                key.starved = false;
                key.promote(now, tokens, this);
            }
            pending = takePending();
        }
        PendingNotification.sendAll(pending);
    }

    /** Forgets a batch of the keys that have been idle for longer than the given time; true when there may be more of them. */
    synchronized boolean forgetIdle(long nanos) {
        long now = clock.getAsLong();
        for (int n = 0; n < BATCH; n++) {
            StoredKey key = idle.longestIdle();
            if (key == null || now - key.lastActivity() <= nanos) {
                return false;
            }
            idle.unlist(key);
            keys.remove(key);
            capacity.giveBack();
        }
        return true;
    }

    /** The time to the next lease end, negative when one is due; {@code otherwise} when no lease runs. */
    synchronized long nanosToNextEnd(long otherwise) {
        Holder first = deadlines.first();
        return first == null ? otherwise : first.leaseEndNanos() - clock.getAsLong();
    }

    /** Ends every grant as lost. */
    void close() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            Holder holder = deadlines.first();
            for (; holder != null; holder = deadlines.first()) {
                ended(holder, Ending.LOST);
            }
            pending = takePending();
        }
        PendingNotification.sendAll(pending);
    }

    /** Applies a function to a key and the present time; null when there is no such key. */
    synchronized <T> @Nullable T view(Key name, View<T> view) {
        StoredKey key = keys.find(name);
        return key == null ? null : view.of(key, clock.getAsLong());
    }

    /** Visits up to {@code max} keys in order, from the first after {@code after}. Returns the last visited key if there may be more. */
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

    interface View<T> {
        T of(KeyState key, long now);
    }

    @GuardedBy("this")
    private void listIfIdle(StoredKey key) {
        if (key.isIdle()) {
            idle.list(key);
        } else if (key.listedIdle) {
            idle.unlist(key);
        }
    }

    @GuardedBy("this")
    private @Nullable PendingNotification takePending() {
        PendingNotification first = firstPending;
        firstPending = null;
        lastPending = null;
        return first;
    }

    @GuardedBy("this")
    private void add(PendingNotification notification) {
        if (lastPending == null) {
            firstPending = notification;
        } else {
            lastPending.next = notification;
        }
        lastPending = notification;
    }

    @Override
    @GuardedBy("this")
    public void held(Holder holder) {
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
        deadlines.remove(holder);
        add(PendingNotification.ended(holder, ending));
    }

    @Override
    @GuardedBy("this")
    public void promoted(Waiter waiter, Holder holder) {
        add(PendingNotification.granted(waiter, holder));
    }

    @Override
    @GuardedBy("this")
    public void starved(KeyState key) {
        StoredKey stored = (StoredKey) key;
        if (!stored.starved) {
            stored.starved = true;
            starved.add(stored);
        }
    }
}
