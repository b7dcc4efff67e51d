package io.flockgate.storage.memory;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.memory.KeyTable.StoredKey;
import io.flockgate.storage.memory.journal.KeptGrants.ShardChanges;
import io.flockgate.storage.rules.ClaimLimits;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import io.flockgate.storage.rules.KeyStateListener;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the consequences of key changes for their shard: lease deadlines, idle and stalled keys,
 * the number of holders, grants that outlive the process, and notifications to send. Guarded by the
 * monitor of the shard.
 *
 * <p>A slot that passes from a holder to a waiter within one call does not change the number of
 * holders. A waiter that could not be granted in the call that freed its slot is counted even
 * beyond the cap, which applies to claims only.
 */
final class Bookkeeping implements KeyStateListener, ClaimLimits {
    private final Capacity holders;
    private final long maxWaiters;
    private final LongConsumer alarm;
    private final @Nullable ShardChanges kept;
    private final Deadlines deadlines = new Deadlines();
    private final IdleKeys idle = new IdleKeys();

    /** The keys with a free slot whose waiters could not be granted. */
    private final ArrayDeque<StoredKey> stalled = new ArrayDeque<>();

    /** The notifications of this call in the order of its changes, linked to each other. */
    private @Nullable PendingNotification firstPending;

    private @Nullable PendingNotification lastPending;

    /** The room for holders that this call has taken from the common count. */
    private long reserved;

    /** The holders that this call has added, less those that it has removed. */
    private long change;

    /**
     * @param holders counts the holders of all semaphores
     * @param maxWaiters the longest queue of a key; 0 for no limit
     * @param alarm receives the end time of every new or renewed lease
     * @param kept records the grants that outlive the process; null if none do
     */
    Bookkeeping(Capacity holders, long maxWaiters, LongConsumer alarm, @Nullable ShardChanges kept) {
        this.holders = holders;
        this.maxWaiters = maxWaiters;
        this.alarm = alarm;
        this.kept = kept;
    }

    /** The holder whose lease ends first. */
    @Nullable
    Holder firstDue() {
        return deadlines.first();
    }

    /** A holder whose lease has ended by now. */
    @Nullable
    Holder dueAt(long now) {
        Holder first = deadlines.first();
        return first != null && now - first.leaseEndNanos() >= 0 ? first : null;
    }

    void removeDeadline(Holder holder) {
        deadlines.remove(holder);
    }

    /** Grants what can be granted now. Keys that remain stalled are added again. */
    void retryStalled(long now, TokenGenerator tokens) {
        for (int n = stalled.size(); n > 0; n--) {
            StoredKey key = stalled.remove();
            key.stalled = false;
            key.promote(now, tokens, this);
        }
    }

    @Nullable
    StoredKey longestIdle() {
        return idle.longestIdle();
    }

    void unlist(StoredKey key) {
        idle.unlist(key);
    }

    int idleKeys() {
        return idle.size();
    }

    /** Counts a holder from the previous process. */
    void restored(Holder holder) {
        added(holder);
        settleHolders();
    }

    /** Ends every grant as lost, except those that outlive the process. */
    void endAll() {
        for (Holder holder = deadlines.first(); holder != null; holder = deadlines.first()) {
            if (kept != null && kept.keeps(holder)) {
                deadlines.remove(holder);
            } else {
                ended(holder, Ending.LOST);
            }
        }
    }

    /** Adds a key to the list of idle keys or removes it, depending on its state. */
    void listIfIdle(StoredKey key) {
        if (key.isIdle()) {
            idle.list(key);
        } else if (key.listedIdle) {
            idle.unlist(key);
        }
    }

    /**
     * Ends a call under the monitor: counts the holders, and removes and returns the notifications
     * to send.
     */
    @Nullable
    PendingNotification endCall() {
        settleHolders();
        if (kept != null) {
            kept.settle();
        }
        PendingNotification all = firstPending;
        firstPending = null;
        lastPending = null;
        return all;
    }

    private void add(PendingNotification notification) {
        if (lastPending == null) {
            firstPending = notification;
        } else {
            lastPending.next = notification;
        }
        lastPending = notification;
    }

    /** Counts the holders that were added and removed, and returns room that was not used. */
    private void settleHolders() {
        if (change > reserved) {
            holders.forceTake(change - reserved);
        } else if (change < reserved) {
            holders.giveBack(reserved - change);
        }
        reserved = 0;
        change = 0;
    }

    /** Reserves room for one more holder, until the end of the call. */
    @Override
    public boolean hasRoomForHolder() {
        if (reserved <= change) {
            reserved += holders.takeUpTo(1);
        }
        return reserved > change;
    }

    @Override
    public long maxWaiters() {
        return maxWaiters;
    }

    @Override
    public boolean canHold(Claimant claimant) {
        return kept == null || kept.canHold(claimant);
    }

    @Override
    public void held(Holder holder) {
        added(holder);
        if (kept != null) {
            kept.held(holder);
        }
    }

    private void added(Holder holder) {
        if (holder.kind() == Kind.SEMAPHORE) {
            change++;
        }
        deadlines.add(holder);
        alarm.accept(holder.leaseEndNanos());
    }

    @Override
    public void renewed(Holder holder) {
        deadlines.moved(holder);
        alarm.accept(holder.leaseEndNanos());
    }

    @Override
    public void ended(Holder holder, Ending ending) {
        if (holder.kind() == Kind.SEMAPHORE) {
            change--;
        }
        deadlines.remove(holder);
        if (kept != null) {
            kept.ended(holder);
        }
        add(PendingNotification.ended(holder, ending));
    }

    @Override
    public void promoted(Waiter waiter, Holder holder) {
        if (kept == null || !kept.promoted(waiter, holder)) {
            add(PendingNotification.granted(waiter, holder));
        }
    }

    @Override
    public void stalled(KeyState state) {
        StoredKey key = (StoredKey) state;
        if (!key.stalled) {
            key.stalled = true;
            stalled.add(key);
        }
    }

    /**
     * The list of the keys without holders and waiters, in the order of their last activity: keys
     * join at its end as they become idle. Guarded by its shard.
     */
    private static final class IdleKeys {
        private @Nullable StoredKey first;
        private @Nullable StoredKey last;
        private int size;

        int size() {
            return size;
        }

        @Nullable
        StoredKey longestIdle() {
            return first;
        }

        /** Puts a key at the end, even if it is already listed. */
        void list(StoredKey key) {
            unlist(key);
            key.listedIdle = true;
            key.idleBefore = last;
            if (last == null) {
                first = key;
            } else {
                last.idleAfter = key;
            }
            last = key;
            size++;
        }

        /** Does nothing when the key is not listed. */
        void unlist(StoredKey key) {
            if (!key.listedIdle) {
                return;
            }
            StoredKey before = key.idleBefore;
            StoredKey after = key.idleAfter;
            if (before == null) {
                first = after;
            } else {
                before.idleAfter = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.idleBefore = before;
            }
            key.idleBefore = null;
            key.idleAfter = null;
            key.listedIdle = false;
            size--;
        }
    }

    /**
     * A binary heap of holders by the end of their leases. Each holder records its position, so
     * that removal costs O(log n). Adding a lease that ends last costs O(1). Guarded by its shard.
     */
    private static final class Deadlines {
        private static final int MIN_SIZE = 16;

        private Holder[] heap = new Holder[MIN_SIZE];
        private int size;

        /** The holder whose lease ends first. */
        @Nullable
        Holder first() {
            return size == 0 ? null : heap[0];
        }

        void add(Holder holder) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size + (size >> 1));
            }
            siftUp(size++, holder);
        }

        /** Must be called when the lease of a holder in the heap gets a new end. */
        void moved(Holder holder) {
            int index = holder.heapIndex();
            siftUp(index, holder);
            if (holder.heapIndex() == index) {
                siftDown(index, holder);
            }
        }

        /** Does nothing when the holder is not in the heap. */
        void remove(Holder holder) {
            int index = holder.heapIndex();
            if (index < 0) {
                return;
            }
            holder.heapIndex(-1);
            Holder last = heap[--size];
            clear(size);
            if (last != holder) {
                last.heapIndex(index);
                heap[index] = last;
                moved(last);
            }
            if (heap.length > MIN_SIZE && size < heap.length / 8) {
                heap = Arrays.copyOf(heap, Math.max(MIN_SIZE, heap.length / 4));
            }
        }

        @SuppressWarnings("NullAway") // a free position is null, which array types cannot express
        private void clear(int index) {
            heap[index] = null;
        }

        private void siftUp(int from, Holder holder) {
            int index = from;
            while (index > 0) {
                Holder parent = heap[(index - 1) >>> 1];
                if (!isEarlier(holder, parent)) {
                    break;
                }
                place(index, parent);
                index = (index - 1) >>> 1;
            }
            place(index, holder);
        }

        private void siftDown(int from, Holder holder) {
            int index = from;
            while (2 * index + 1 < size) {
                int child = 2 * index + 1;
                if (child + 1 < size && isEarlier(heap[child + 1], heap[child])) {
                    child++;
                }
                if (!isEarlier(heap[child], holder)) {
                    break;
                }
                place(index, heap[child]);
                index = child;
            }
            place(index, holder);
        }

        private void place(int index, Holder holder) {
            heap[index] = holder;
            holder.heapIndex(index);
        }

        private static boolean isEarlier(Holder a, Holder b) {
            return a.leaseEndNanos() - b.leaseEndNanos() < 0;
        }
    }
}
