package io.flockgate.storage.rules;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The holders of a semaphore, oldest first: a linked list, with an index by fence once there are
 * more than a few.
 */
final class Holders {
    private static final int FEW = 8;

    private @Nullable Holder oldest;
    private @Nullable Holder newest;
    private int size;
    private @Nullable NavigableMap<Long, Holder> byFence;

    /**
     * No lease ends before this time, so that most claims need not visit every holder. Undefined
     * without holders.
     */
    private long noneEndsBefore;

    int size() {
        return size;
    }

    @Nullable
    Holder oldest() {
        return oldest;
    }

    void add(Holder holder) {
        leaseEnds(holder);
        holder.previous = newest;
        if (newest == null) {
            oldest = holder;
        } else {
            newest.next = holder;
        }
        newest = holder;
        size++;
        if (byFence != null) {
            byFence.put(holder.fence(), holder);
        } else if (size > FEW) {
            byFence = index();
        }
    }

    /** Must be called whenever a holder's lease gets a new end. */
    void leaseEnds(Holder holder) {
        if (size == 0 || holder.leaseEndNanos() - noneEndsBefore < 0) {
            noneEndsBefore = holder.leaseEndNanos();
        }
    }

    /** The oldest holder whose lease has ended; null when all leases are still running. */
    @Nullable
    Holder ended(long now) {
        if (size == 0 || now - noneEndsBefore < 0) {
            return null;
        }
        Holder holder = oldest;
        long earliest = holder == null ? now : holder.leaseEndNanos();
        for (; holder != null; holder = holder.next) {
            if (holder.hasEnded(now)) {
                return holder;
            }
            if (holder.leaseEndNanos() - earliest < 0) {
                earliest = holder.leaseEndNanos();
            }
        }
        noneEndsBefore = earliest;
        return null;
    }

    /** A tree, so that a page of holders can begin anywhere without a walk. */
    private NavigableMap<Long, Holder> index() {
        NavigableMap<Long, Holder> index = new TreeMap<>(Long::compareUnsigned);
        for (Holder holder = oldest; holder != null; holder = holder.next) {
            index.put(holder.fence(), holder);
        }
        return index;
    }

    void remove(Holder holder) {
        Holder before = holder.previous;
        Holder after = holder.next;
        if (before == null) {
            oldest = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.previous = before;
        }
        holder.previous = null;
        holder.next = null;
        size--;
        if (byFence != null) {
            byFence.remove(holder.fence());
            if (size == 0) {
                byFence = null;
            }
        }
    }

    @Nullable
    Holder find(long fence) {
        if (byFence != null) {
            return byFence.get(fence);
        }
        Holder holder = oldest;
        while (holder != null && holder.fence() != fence) {
            holder = holder.next;
        }
        return holder;
    }

    /** The oldest holder with a greater fence than this one; null when there is none. */
    @Nullable
    Holder after(long fence) {
        if (byFence != null) {
            Map.Entry<Long, Holder> higher = byFence.higherEntry(fence);
            return higher == null ? null : higher.getValue();
        }
        Holder holder = oldest;
        while (holder != null && Long.compareUnsigned(holder.fence(), fence) <= 0) {
            holder = holder.next;
        }
        return holder;
    }
}
