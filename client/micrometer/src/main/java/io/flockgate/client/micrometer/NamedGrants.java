package io.flockgate.client.micrometer;

import io.flockgate.client.Grant;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The grants that a process holds under one tag. Safe from any thread. */
final class NamedGrants {
    private final String name;
    private final Set<Grant> grants = ConcurrentHashMap.newKeySet();

    NamedGrants(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    void add(Grant grant) {
        grants.add(grant);
    }

    void remove(Grant grant) {
        grants.remove(grant);
    }

    /** The number of grants that are kept, alive or not. */
    int remembered() {
        return grants.size();
    }

    long count() {
        return grants.stream().filter(Grant::isAlive).count();
    }

    double remainingSeconds() {
        Duration shortest = grants.stream()
                .filter(Grant::isAlive)
                .map(Grant::remaining)
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return shortest.toNanos() / 1e9;
    }
}
