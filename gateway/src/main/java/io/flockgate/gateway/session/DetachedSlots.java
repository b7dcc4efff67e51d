package io.flockgate.gateway.session;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the semaphore slots that detached clients hold, by the clients' address. Includes those of
 * disconnected clients, because otherwise a client that reconnects repeatedly could hold any number
 * of slots. Thread safe.
 */
final class DetachedSlots {
    private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

    void add(String address, int slots) {
        Integer unused = byAddress.merge(address, slots, DetachedSlots::sum);
    }

    /** An address without slots takes no memory. */
    @SuppressWarnings("NullAway") // null removes the entry
    private static Integer sum(Integer before, Integer more) {
        int sum = before + more;
        return sum == 0 ? null : sum;
    }

    int of(String address) {
        return byAddress.getOrDefault(address, 0);
    }
}
