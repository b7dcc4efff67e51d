package io.flockgate.gateway.deadlock;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A cycle of clients that wait for each other (protocol-docs/rest-api.md, "Deadlocks").
 *
 * @param links each waits for a key that the next one holds, and the last for one that the first
 *     holds
 */
public record Deadlock(List<Link> links) {
    /** A client that holds a key and waits for another, or for the same one. */
    public record Link(Key held, HolderView holder, Key wanted, WaiterView waiter) {
        /**
         * Whether the same connection or session holds and waits. Otherwise holder and waiter share
         * only their name.
         */
        public boolean isOneClient() {
            return holder.client().id() != 0
                    && holder.client().id() == waiter.client().id()
                    && holder.client().process().equals(waiter.client().process());
        }

        private List<Object> step() {
            return List.of(held, holder.fence(), wanted, waiter.id());
        }
    }

    public Deadlock {
        links = List.copyOf(links);
    }

    /** Whether any link exists only because two clients have the same name. */
    public boolean isByName() {
        return !links.stream().allMatch(Link::isOneClient);
    }

    /** The grants and places that make up this cycle, whichever link is first. */
    Set<List<Object>> steps() {
        return links.stream().map(Link::step).collect(Collectors.toSet());
    }
}
