package io.flockgate.storage.consul.key;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this gateway at one key, by the names of their tickets: those that are queued, and those whose tickets are being
 * written. For the key's own thread only.
 */
final class LocalWaiters {
    private final Map<String, LocalWaiter> queued = new LinkedHashMap<>();
    private final Map<String, LocalWaiter> entering = new HashMap<>();
    private final LocalIndex index;

    LocalWaiters(LocalIndex index) {
        this.index = index;
    }

    /** Whether nobody of this gateway waits, or is about to. */
    boolean isEmpty() {
        return queued.isEmpty() && entering.isEmpty();
    }

    boolean hasQueued() {
        return !queued.isEmpty();
    }

    /** How many tickets are being written. */
    int entering() {
        return entering.size();
    }

    /** A copy: those that go while it is read stay in it. */
    List<LocalWaiter> queued() {
        return List.copyOf(queued.values());
    }

    /** The queued waiter with this ticket; null when there is none. */
    @Nullable
    LocalWaiter queued(String ticket) {
        return queued.get(ticket);
    }

    /** Whether a waiter has a ticket of this name, or is about to have it. */
    boolean has(String ticket) {
        return queued.containsKey(ticket) || entering.containsKey(ticket);
    }

    /** Whether a ticket that is being written offers the grant with this nonce. */
    boolean isOfferedByEntering(String nonce) {
        return entering.values().stream().anyMatch(waiter -> waiter.offersGrant(nonce));
    }

    void addEntering(LocalWaiter waiter) {
        entering.put(waiter.name(), waiter);
    }

    void removeEntering(LocalWaiter waiter) {
        entering.remove(waiter.name(), waiter);
    }

    void addQueued(LocalWaiter waiter) {
        queued.put(waiter.name(), waiter);
        index.add(waiter);
    }

    /** False when it was not queued. */
    boolean removeQueued(LocalWaiter waiter) {
        index.remove(waiter);
        return queued.remove(waiter.name(), waiter);
    }

    void clear() {
        queued.values().forEach(index::remove);
        queued.clear();
        entering.clear();
    }
}
