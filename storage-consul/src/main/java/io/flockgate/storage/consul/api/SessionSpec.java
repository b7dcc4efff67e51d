package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.List;

/**
 * The specification of a new session. The session has no lock delay. Its end leaves its keys, with their values.
 *
 * @param nodeChecks checks of the agent's node; the session ends when one is critical
 * @param serviceChecks checks of services of that node; the session ends when one is critical
 */
public record SessionSpec(String name, Duration ttl, List<String> nodeChecks, List<String> serviceChecks) {
    public SessionSpec {
        nodeChecks = List.copyOf(nodeChecks);
        serviceChecks = List.copyOf(serviceChecks);
    }

    /** A session that ends only when its TTL is over. */
    public SessionSpec(String name, Duration ttl) {
        this(name, ttl, List.of(), List.of());
    }
}
