package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions that were given up and may still exist in Consul. Thread safe. */
final class AbandonedSessions {
    private final ConsulApi api;
    private final Set<String> sessions = ConcurrentHashMap.newKeySet();

    AbandonedSessions(ConsulApi api) {
        this.api = api;
    }

    void add(String id) {
        sessions.add(id);
    }

    /**
     * Ends them all.
     *
     * @throws ConsulException when some may still exist
     */
    void end() {
        for (String id : List.copyOf(sessions)) {
            api.destroySession(id);
            sessions.remove(id);
        }
    }
}
