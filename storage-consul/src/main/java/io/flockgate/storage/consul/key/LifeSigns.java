package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When, by this gateway's own clock, the other gateways at a key have surely been alive: a ticket that was not there, or not so,
 * at an earlier look was written later than that look, and nobody writes another's tickets. Clocks of other machines are not
 * asked.
 */
final class LifeSigns {
    private Map<String, Long> newest = new HashMap<>();
    private final Map<String, Long> alive = new HashMap<>();
    private @Nullable KeyView last;
    private long lookedAt;

    /** Takes in a view. */
    void look(KeyView view, long now) {
        if (view == last) {
            return;
        }
        Map<String, Long> fresh = newest(view);
        if (last != null) {
            fresh.forEach((gateway, index) -> {
                if (index > newest.getOrDefault(gateway, 0L)) {
                    alive.put(gateway, lookedAt);
                }
            });
        }
        alive.keySet().retainAll(fresh.keySet());
        newest = fresh;
        last = view;
        lookedAt = now;
    }

    private static Map<String, Long> newest(KeyView view) {
        Map<String, Long> newest = new HashMap<>();
        for (QueuedTicket ticket : view.queue()) {
            newest.merge(ticket.mark().gateway(), ticket.entry().modifyIndex(), Math::max);
        }
        return newest;
    }

    /** Whether the gateway has surely lived less than so long ago. */
    boolean hasLived(String gateway, long nanos, long now) {
        Long since = alive.get(gateway);
        return since != null && now - since < nanos;
    }
}
