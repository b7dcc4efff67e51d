package io.flockgate.storage.consul.key;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The grants and waiters of this gateway at all keys, by their names in Consul, for the inspection
 * of keys. Thread safe.
 */
final class LocalIndex {
    private final Map<String, LocalGrant> grants = new ConcurrentHashMap<>();
    private final Map<String, LocalWaiter> waiters = new ConcurrentHashMap<>();

    void add(LocalGrant grant) {
        grants.put(grant.nonce(), grant);
    }

    void remove(LocalGrant grant) {
        grants.remove(grant.nonce());
    }

    /** The grant with this nonce; null when it is not one of this gateway's. */
    @Nullable
    LocalGrant grant(String nonce) {
        return grants.get(nonce);
    }

    void add(LocalWaiter waiter) {
        waiters.put(waiter.name(), waiter);
    }

    /**
     * The shortest time within which a waiter acts on a free slot; {@code Long.MAX_VALUE} without
     * one.
     */
    long shortestActMillis() {
        return waiters.values().stream().mapToLong(LocalWaiter::actMillis).min().orElse(Long.MAX_VALUE);
    }

    void remove(LocalWaiter waiter) {
        waiters.remove(waiter.name());
    }

    /** The waiter with the ticket of this name; null when it is not one of this gateway's. */
    @Nullable
    LocalWaiter waiter(String ticket) {
        return waiters.get(ticket);
    }
}
