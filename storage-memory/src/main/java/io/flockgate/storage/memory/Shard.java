package io.flockgate.storage.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Capacity;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Refusal;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.KeyTable.StoredKey;
import io.flockgate.storage.memory.journal.GrantRecord;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import io.flockgate.storage.rules.KeyStateListener;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A share of all keys, guarded by one monitor. No call holds the monitors of two shards. Each call:
 *
 * <ol>
 *   <li>enters the monitor, reads the clock, and finds the key;
 *   <li>applies the rules of the key, which report their changes to the {@link Bookkeeping};
 *   <li>updates deadlines and idle keys;
 *   <li>leaves the monitor and notifies claimants.
 * </ol>
 */
final class Shard {
    /**
     * The maximum number of keys or leases that are handled without leaving the monitor, so that no
     * caller waits long.
     */
    private static final int BATCH = 256;

    private final LongSupplier clock;
    private final TokenGenerator tokens;
    private final Capacity keyCapacity;

    @GuardedBy("this")
    private final KeyTable keys;

    @GuardedBy("this")
    private final Bookkeeping book;

    /**
     * @param skippedBits the number of leading hash bits that all keys of this shard share
     * @param keyCapacity the room for keys, shared by all shards
     */
    Shard(int skippedBits, LongSupplier clock, TokenGenerator tokens, Capacity keyCapacity, Bookkeeping book) {
        this.keys = new KeyTable(skippedBits);
        this.clock = clock;
        this.tokens = tokens;
        this.keyCapacity = keyCapacity;
        this.book = book;
    }

    ClaimOutcome claim(Claim claim, Claimant claimant) {
        ClaimOutcome outcome;
        @Nullable PendingNotification pending;
        synchronized (this) {
            long now = clock.getAsLong();
            StoredKey key = keys.find(claim.key());
            if (key == null) {
                Refusal refusal = reserveKey(claim.kind());
                if (refusal != null) {
                    return refusal;
                }
                key = new StoredKey(claim.key(), claim.kind(), claim.limit(), now);
                keys.add(key);
            }
            long before = key.lastActivity();
            try {
                outcome = key.claim(claim, claimant, now, book, tokens, book);
            } finally {
                // A claim refused for its kind or limit must not make an idle key look used.
                if (!key.listedIdle || !key.isIdle() || key.lastActivity() != before) {
                    book.listIfIdle(key);
                }
                pending = book.endCall();
            }
        }
        PendingNotification.sendAll(pending);
        return outcome;
    }

    /**
     * Reserves room for a new key. If there is no room for the key or its holder, returns the
     * refusal instead, and the claim leaves no key.
     */
    @GuardedBy("this")
    private @Nullable Refusal reserveKey(Kind kind) {
        if (!keyCapacity.take()) {
            return Refusal.MAX_LOCKS;
        }
        if (kind == Kind.SEMAPHORE && !book.hasRoomForHolder()) {
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
            book.listIfIdle((StoredKey) waiter.state());
            return LeaveOutcome.LEFT;
        }
    }

    ReleaseOutcome release(Key name, Token token) {
        return change(name, ReleaseOutcome.NOT_HELD, (key, now, changes) -> key.release(token, now, tokens, changes));
    }

    RenewOutcome renew(Key name, Token token, long leaseSeconds) {
        return change(
                name,
                RenewOutcome.NOT_HELD,
                (key, now, changes) -> key.renew(token, leaseSeconds, now, tokens, changes));
    }

    EvictOutcome evict(Key name, long fence) {
        return change(name, EvictOutcome.NOT_HELD, (key, now, changes) -> key.evict(fence, now, tokens, changes));
    }

    LimitOutcome setLimit(Key name, long limit) {
        return change(name, LimitOutcome.NO_KEY, (key, now, changes) -> key.setLimit(limit, now, tokens, changes));
    }

    RemoveOutcome remove(Key name, long number) {
        Optional<Waiter> removed =
                change(name, Optional.empty(), (key, now, changes) -> Optional.ofNullable(key.remove(number, now)));
        removed.ifPresent(PendingNotification::sendRemoved);
        return removed.isPresent() ? RemoveOutcome.REMOVED : RemoveOutcome.NOT_QUEUED;
    }

    private interface Change<T> {
        T of(KeyState key, long now, KeyStateListener changes);
    }

    private <T> T change(Key name, T withoutKey, Change<T> change) {
        T result;
        @Nullable PendingNotification pending;
        synchronized (this) {
            StoredKey key = keys.find(name);
            if (key == null) {
                return withoutKey;
            }
            result = change.of(key, clock.getAsLong(), book);
            if (!key.listedIdle || !key.isIdle()) {
                book.listIfIdle(key);
            }
            pending = book.endCall();
        }
        PendingNotification.sendAll(pending);
        return result;
    }

    /** Ends a batch of the leases that are due. Returns whether more may be due. */
    boolean endDueLeases() {
        @Nullable PendingNotification pending;
        boolean more;
        synchronized (this) {
            long now = clock.getAsLong();
            Holder due = book.dueAt(now);
            for (int n = 0; n < BATCH && due != null; n++, due = book.dueAt(now)) {
                book.removeDeadline(due);
                due.state().expire(due, now, tokens, book);
                book.listIfIdle((StoredKey) due.state());
            }
            more = due != null;
            pending = book.endCall();
        }
        PendingNotification.sendAll(pending);
        return more;
    }

    /** Retries the grants that could not be made when slots became free for waiters. */
    void retryStalled() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            book.retryStalled(clock.getAsLong(), tokens);
            pending = book.endCall();
        }
        PendingNotification.sendAll(pending);
    }

    /**
     * Forgets a batch of the keys that have been idle for longer than the given time. Returns
     * whether there may be more of them.
     */
    synchronized boolean forgetIdle(long nanos) {
        long now = clock.getAsLong();
        for (int n = 0; n < BATCH; n++) {
            StoredKey key = book.longestIdle();
            if (key == null || now - key.lastActivity() <= nanos) {
                return false;
            }
            book.unlist(key);
            keys.remove(key);
            keyCapacity.giveBack(1);
        }
        return true;
    }

    synchronized int idleKeys() {
        return book.idleKeys();
    }

    /**
     * The time until the next lease ends, negative if one is overdue, or {@code otherwise} if no
     * lease is running.
     */
    synchronized long nanosToNextEnd(long otherwise) {
        Holder first = book.firstDue();
        return first == null ? otherwise : first.leaseEndNanos() - clock.getAsLong();
    }

    /**
     * Restores a grant of the previous process; returns null if its key has another kind, or no
     * free slot.
     */
    synchronized @Nullable Holder restore(GrantRecord grant, Claimant claimant, long grantedAt) {
        long now = clock.getAsLong();
        StoredKey key = keys.find(grant.key());
        if (key == null) {
            key = new StoredKey(grant.key(), grant.kind(), grant.slots(), now);
            keys.add(key);
            keyCapacity.forceTake(1);
        }
        Holder holder = key.kind() != grant.kind()
                ? null
                : key.restore(claimant, grant.token(), grant.slots(), grantedAt, grant.leaseSeconds(), now);
        if (holder != null) {
            book.restored(holder);
        }
        return holder;
    }

    /** Ends every grant as lost, except those that outlive the process. */
    void close() {
        @Nullable PendingNotification pending;
        synchronized (this) {
            book.endAll();
            pending = book.endCall();
        }
        PendingNotification.sendAll(pending);
    }

    /** A function of a key and the present time. */
    interface View<T> {
        T of(KeyState key, long now);
    }

    /** Applies the function under the monitor. Returns null without such a key. */
    synchronized <T> @Nullable T view(Key name, View<T> view) {
        StoredKey key = keys.find(name);
        return key == null ? null : view.of(key, clock.getAsLong());
    }

    /**
     * Visits up to {@code max} keys in order, beginning with the first one after {@code after},
     * until the visitor returns false. Returns the last key visited, or null if there are no more.
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
}
