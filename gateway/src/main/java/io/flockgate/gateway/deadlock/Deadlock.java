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
         * only their name. Services without a gateway have no number.
         */
        public boolean isOneClient() {
            return holder.client().id() != 0
                    && holder.client().id() == waiter.client().id()
                    && holder.client().process().equals(waiter.client().process());
        }

        /** Only the ages of a gateway's own clients are exact. */
        private boolean waitsHere() {
            return waiter.waited().exact();
        }
    }

    public Deadlock {
        links = List.copyOf(links);
    }

    /** Whether any link exists only because two clients have the same name. */
    public boolean isByName() {
        return !links.stream().allMatch(Link::isOneClient);
    }

    /** Whether one of the waiters is a client of this gateway. */
    public boolean hasWaiterOfThisGateway() {
        return links.stream().anyMatch(Link::waitsHere);
    }

    /** The grants and the places that make up this cycle, whichever link is first. */
    Set<Step> identity() {
        return links.stream()
                .map(each -> new Step(
                        each.held(),
                        each.holder().fence(),
                        each.wanted(),
                        each.waiter().id()))
                .collect(Collectors.toSet());
    }

    /** A grant and a place, by their names. */
    record Step(Key held, long fence, Key wanted, String place) {}
}
