package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.gateway.limits.AddressGroup;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The handshakes in progress on one port, by {@link AddressGroup}. Thread safe.
 *
 * <ol>
 *   <li>A group has at most its share of all slots.
 *   <li>If all slots are taken, a newcomer gets that of the oldest handshake of the largest group
 *       of the largest {@link AddressGroup#siteOf site}. Groups that finish no handshake therefore
 *       keep no other site out, however many of one site there are.
 *   <li>A newcomer of the largest site gets the slot of a larger group there, or none.
 * </ol>
 */
final class HandshakeSlots {
    private final int max;
    private final int maxPerGroup;

    @GuardedBy("this")
    private final Map<String, Deque<Slot>> groups = new LinkedHashMap<>();

    /** The number of handshakes of each site. */
    @GuardedBy("this")
    private final Map<String, Integer> sites = new HashMap<>();

    @GuardedBy("this")
    private int total;

    /** A handshake in progress. */
    static final class Slot {
        private final String site;
        private final String group;
        private final Runnable evicted;

        /**
         * @param evicted ends the handshake. It may be called on any thread, and must not block
         */
        Slot(String site, String group, Runnable evicted) {
            this.site = site;
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
        Slot victim;
        synchronized (this) {
            victim = total < max ? null : toEvict(slot);
            if (of(slot.group) >= maxPerGroup || (total >= max && victim == null)) {
                return false;
            }
            if (victim != null) {
                leave(victim);
            }
            groups.computeIfAbsent(slot.group, ignored -> new ArrayDeque<>()).add(slot);
            sites.merge(slot.site, 1, Integer::sum);
            total++;
        }
        if (victim != null) {
            victim.evicted.run();
        }
        return true;
    }

    @GuardedBy("this")
    private @Nullable Slot toEvict(Slot newcomer) {
        int most = Collections.max(sites.values());
        boolean fromLargest = sites.getOrDefault(newcomer.site, 0) == most;
        Deque<Slot> largest = null;
        for (Deque<Slot> each : groups.values()) {
            String site = each.getFirst().site;
            boolean counts = fromLargest ? site.equals(newcomer.site) : Objects.equals(sites.get(site), most);
            if (counts && (largest == null || each.size() > largest.size())) {
                largest = each;
            }
        }
        if (largest == null || (fromLargest && largest.size() <= of(newcomer.group))) {
            return null;
        }
        return largest.getFirst();
    }

    /** Ends a handshake. Does nothing if it was evicted, or never began. */
    synchronized void leave(Slot slot) {
        Deque<Slot> group = groups.get(slot.group);
        if (group != null && group.remove(slot)) {
            total--;
            sites.computeIfPresent(slot.site, (site, count) -> count == 1 ? null : count - 1);
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
