package io.flockgate.storage.consul.api;

import java.time.Duration;
import java.util.List;

/**
 * A session to be made. It deletes its keys when it ends, and has no lock delay.
 *
 * @param checks checks of the agent's node that end the session when critical; none for a session that only its own time
 *     to live ends
 */
public record SessionSpec(String name, Duration ttl, List<String> checks) {
    public SessionSpec {
        checks = List.copyOf(checks);
    }
}
