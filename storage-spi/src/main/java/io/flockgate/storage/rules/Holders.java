package io.flockgate.storage.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The holders of a semaphore, oldest first: a linked list, with indexes by fence and by the end of
 * the lease once there are more than a few. Without the second one, each lease that ends would cost
 * a walk past all that have not.
 */
final class Holders {
    private static final int FEW = 8;

    private @Nullable Holder oldest;
    private @Nullable Holder newest;
    private int size;
    private @Nullable Indexes indexes;

    /** Indexes of all holders. They are trees, so that a page can begin anywhere without a walk. */
    private record Indexes(NavigableMap<Long, Holder> byFence, NavigableSet<Holder> byEnd) {
        private static final Comparator<Holder> FIRST_TO_END = (a, b) -> a.leaseEndNanos() == b.leaseEndNanos()
                ? Long.compareUnsigned(a.fence(), b.fence())
                : Long.signum(a.leaseEndNanos() - b.leaseEndNanos());

        static Indexes of(@Nullable Holder oldest) {
            Indexes all = new Indexes(new TreeMap<>(Long::compareUnsigned), new TreeSet<>(FIRST_TO_END));
            for (Holder holder = oldest; holder != null; holder = holder.next) {
                all.add(holder);
            }
            return all;
        }

        void add(Holder holder) {
            byFence.put(holder.fence(), holder);
            byEnd.add(holder);
        }

        List<Holder> ended(long now) {
            if (!byEnd.first().hasEnded(now)) {
                return List.of();
            }
            List<Holder> ended = new ArrayList<>();
            for (Holder holder : byEnd) {
                if (!holder.hasEnded(now)) {
                    break;
                }
                ended.add(holder);
            }
            ended.sort((a, b) -> Long.compareUnsigned(a.fence(), b.fence()));
            return ended;
        }

        void remove(Holder holder) {
            byFence.remove(holder.fence());
            byEnd.remove(holder);
        }
    }

    int size() {
        return size;
    }

    @Nullable
    Holder oldest() {
        return oldest;
    }

    void add(Holder holder) {
        holder.previous = newest;
        if (newest == null) {
            oldest = holder;
        } else {
            newest.next = holder;
        }
        newest = holder;
        size++;
        if (indexes != null) {
            indexes.add(holder);
        } else if (size > FEW) {
            indexes = Indexes.of(oldest);
        }
    }

    /** Gives a holder's lease a new end. */
    void leaseEnds(Holder holder, long nanos) {
        if (indexes == null) {
            holder.leaseEnds(nanos);
        } else {
            indexes.byEnd.remove(holder);
            holder.leaseEnds(nanos);
            indexes.byEnd.add(holder);
        }
    }

    /** The holders whose leases have ended, oldest first. */
    List<Holder> ended(long now) {
        if (indexes != null) {
            return indexes.ended(now);
        }
        List<Holder> ended = List.of();
        for (Holder holder = oldest; holder != null; holder = holder.next) {
            if (holder.hasEnded(now)) {
                ended = ended.isEmpty() ? new ArrayList<>(FEW) : ended;
                ended.add(holder);
            }
        }
        return ended;
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
        if (indexes != null) {
            indexes.remove(holder);
            if (size == 0) {
                indexes = null;
            }
        }
    }

    @Nullable
    Holder find(long fence) {
        if (indexes != null) {
            return indexes.byFence.get(fence);
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
        if (indexes != null) {
            Map.Entry<Long, Holder> higher = indexes.byFence.higherEntry(fence);
            return higher == null ? null : higher.getValue();
        }
        Holder holder = oldest;
        while (holder != null && Long.compareUnsigned(holder.fence(), fence) <= 0) {
            holder = holder.next;
        }
        return holder;
    }
}
