package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import io.flockgate.storage.consul.layout.Slot;
import java.util.HashMap;
import java.util.Map;

/**
 * The gateways that have not done at one key what those do that live. One is forgotten as soon as something of it is newer, or
 * nobody of it waits. For the key's own thread only.
 */
final class SilentGateways {
    /** With the index of the newest that was there of each. */
    private final Map<String, Long> newest = new HashMap<>();

    /** This gateway has missed something that it should have done, as the view shows. */
    void add(String gateway, KeyView view) {
        newest.put(gateway, newest(gateway, view));
    }

    void clear() {
        newest.clear();
    }

    boolean has(String gateway) {
        return newest.containsKey(gateway);
    }

    /** Takes in a view. */
    void look(KeyView view) {
        newest.entrySet()
                .removeIf(each -> newest(each.getKey(), view) > each.getValue() || !waits(each.getKey(), view));
    }

    private static boolean waits(String gateway, KeyView view) {
        return view.queue().stream().anyMatch(ticket -> ticket.mark().gateway().equals(gateway));
    }

    private static long newest(String gateway, KeyView view) {
        long index = 0;
        for (QueuedTicket ticket : view.queue()) {
            if (ticket.mark().gateway().equals(gateway)) {
                index = Math.max(index, ticket.entry().modifyIndex());
            }
        }
        for (Slot slot : view.slots()) {
            HolderMark mark = slot.mark();
            if (mark != null && mark.gateway().equals(gateway)) {
                index = Math.max(index, slot.entry().modifyIndex());
            }
        }
        return index;
    }
}
