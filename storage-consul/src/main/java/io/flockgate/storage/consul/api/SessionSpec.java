package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.List;

/**
 * A session to be made. It deletes its keys when it ends, and has no lock delay.
 *
 * @param nodeChecks checks of the agent's node that end the session when critical
 * @param serviceChecks the same, of services of that node
 */
public record SessionSpec(String name, Duration ttl, List<String> nodeChecks, List<String> serviceChecks) {
    public SessionSpec {
        nodeChecks = List.copyOf(nodeChecks);
        serviceChecks = List.copyOf(serviceChecks);
    }

    /** One that only its own time to live ends. */
    public SessionSpec(String name, Duration ttl) {
        this(name, ttl, List.of(), List.of());
    }
}
