package io.flockgate.storage.consul.key;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The waiters of this gateway at one key, by the names of their tickets: those that are queued, and
 * those whose tickets are being written. For the key's own thread only.
 */
final class LocalWaiters {
    private final Map<String, LocalWaiter> queued = new LinkedHashMap<>();
    private final Map<String, LocalWaiter> enqueuing = new HashMap<>();
    private final LocalIndex index;

    LocalWaiters(LocalIndex index) {
        this.index = index;
    }

    /** Whether no claim of this gateway is queued or being enqueued. */
    boolean isEmpty() {
        return queued.isEmpty() && enqueuing.isEmpty();
    }

    boolean hasQueued() {
        return !queued.isEmpty();
    }

    /** The number of waiters whose tickets are being written. */
    int enqueuing() {
        return enqueuing.size();
    }

    /** A copy, which keeps waiters that are removed later. */
    List<LocalWaiter> queued() {
        return List.copyOf(queued.values());
    }

    /** The queued waiter with this ticket; null when there is none. */
    @Nullable
    LocalWaiter queued(String ticket) {
        return queued.get(ticket);
    }

    /** Whether a waiter has a ticket of this name, or its ticket is being written. */
    boolean has(String ticket) {
        return queued.containsKey(ticket) || enqueuing.containsKey(ticket);
    }

    void addEnqueuing(LocalWaiter waiter) {
        enqueuing.put(waiter.name(), waiter);
    }

    void removeEnqueuing(LocalWaiter waiter) {
        enqueuing.remove(waiter.name(), waiter);
    }

    void addQueued(LocalWaiter waiter) {
        queued.put(waiter.name(), waiter);
        index.add(waiter);
    }

    /** Removes a waiter. Returns false when it was not queued. */
    boolean removeQueued(LocalWaiter waiter) {
        index.remove(waiter);
        return queued.remove(waiter.name(), waiter);
    }

    /** Puts waiters that are still queued behind all others. */
    void requeue(List<LocalWaiter> last) {
        for (LocalWaiter waiter : last) {
            if (queued.remove(waiter.name(), waiter)) {
                queued.put(waiter.name(), waiter);
            }
        }
    }

    /** Forgets the indexes of all tickets, because the key's indexes have restarted. */
    void indexesRestarted() {
        queued.values().forEach(LocalWaiter::indexesRestarted);
    }

    void clear() {
        queued.values().forEach(index::remove);
        queued.clear();
        enqueuing.clear();
    }
}
