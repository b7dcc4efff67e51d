package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Batch;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The sessions that were given up and may still exist in Consul. Thread safe. */
final class AbandonedSessions {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The number of sessions that are ended concurrently. Claims share their connections. */
    private static final int TOGETHER = 8;

    private final Environment environment;
    private final ConsulApi api;

    /** Does not affect readiness, because Consul ends such sessions by itself. */
    private final ConsulHealth health;

    private final Set<String> sessions = ConcurrentHashMap.newKeySet();

    AbandonedSessions(Environment environment, ConsulApi api) {
        this.environment = environment;
        this.health = new ConsulHealth(environment, "ended sessions");
        this.api = api;
    }

    void add(String id) {
        sessions.add(id);
    }

    /**
     * Ends all these sessions, a few at a time.
     *
     * @throws ConsulException when some may still exist
     */
    void end() {
        Batch.run(environment, "consul-renew", List.copyOf(sessions), TOGETHER, id -> {
            try {
                api.destroySession(id);
            } catch (ConsulException e) {
                throw e.withRight(SessionMaker.RIGHT);
            }
            sessions.remove(id);
        });
    }

    /** Ends all these sessions, unless an attempt has just failed. */
    void tryToEnd() {
        boolean unused = health.isDue(RETRY_NANOS) && health.attempt(this::end);
    }
}
