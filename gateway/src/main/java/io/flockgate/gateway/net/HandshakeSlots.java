package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes in progress on one port, by {@link AddressGroup}. Thread safe.
 *
 * <ol>
 *   <li>A group has at most its share of all slots.
 *   <li>If all slots are taken, a newcomer gets that of the oldest handshake of the largest group,
 *       provided that its own group is smaller. A few groups that finish no handshake therefore
 *       keep no other group out.
 * </ol>
 */
final class HandshakeSlots {
    private final int max;
    private final int maxPerGroup;

    @GuardedBy("this")
    private final Map<String, Deque<Slot>> groups = new LinkedHashMap<>();

    @GuardedBy("this")
    private int total;

    /** A handshake in progress. */
    static final class Slot {
        private final String group;
        private final Runnable evicted;

        /**
         * @param evicted ends the handshake. It may be called on any thread, and must not block
         */
        Slot(String group, Runnable evicted) {
            this.group = group;
            this.evicted = evicted;
        }
    }

    HandshakeSlots(int max, int maxPerGroup) {
        this.max = max;
        this.maxPerGroup = maxPerGroup;
    }

    /** Begins a handshake, unless there are too many. */
    boolean enter(Slot slot) {
        Slot victim = null;
        synchronized (this) {
            int own = of(slot.group);
            Deque<Slot> largest = total < max ? null : largest();
            if (own >= maxPerGroup || (largest != null && largest.size() <= own)) {
                return false;
            }
            if (largest != null) {
                victim = largest.getFirst();
                leave(victim);
            }
            groups.computeIfAbsent(slot.group, ignored -> new ArrayDeque<>()).add(slot);
            total++;
        }
        if (victim != null) {
            victim.evicted.run();
        }
        return true;
    }

    @GuardedBy("this")
    private @Nullable Deque<Slot> largest() {
        Deque<Slot> largest = null;
        for (Deque<Slot> each : groups.values()) {
            if (largest == null || each.size() > largest.size()) {
                largest = each;
            }
        }
        return largest;
    }

    /** Ends a handshake. Does nothing if it was evicted, or never began. */
    synchronized void leave(Slot slot) {
        Deque<Slot> group = groups.get(slot.group);
        if (group != null && group.remove(slot)) {
            total--;
            if (group.isEmpty()) {
                groups.remove(slot.group);
            }
        }
    }

    synchronized int of(String group) {
        Deque<Slot> slots = groups.get(group);
        return slots == null ? 0 : slots.size();
    }
}
