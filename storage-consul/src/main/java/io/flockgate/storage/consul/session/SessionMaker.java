package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Batch;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.kv.ConsulException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Creates and renews this gateway's sessions in Consul, and explains why Consul refuses. Thread
 * safe.
 */
final class SessionMaker {
    /** The right that sessions need, in the words of Consul's policies. */
    static final String RIGHT = "session_prefix \"\" { policy = \"write\" }";

    private static final String INVALID_TTL = "Invalid Session TTL";

    private final ConsulApi api;
    private final String node;
    private final Duration ttl;

    /**
     * @param node the gateway's name, shown to operators
     */
    SessionMaker(ConsulApi api, String node, Duration ttl) {
        this.api = api;
        this.node = node;
        this.ttl = ttl;
    }

    /**
     * Creates a session.
     *
     * @param made the moment before the creation, which counts as the first renewal
     * @throws ConsulException when there is no session, or possibly none
     */
    Session make(Session.Moment made) {
        Session session = new Session(create(), made);
        boolean unused = locate(session);
        return session;
    }

    /** Reads the node that a session belongs to. Returns false when Consul does not answer. */
    boolean locate(Session session) {
        try {
            session.node(api.sessionNode(session.id()));
            return true;
        } catch (ConsulException e) {
            return false;
        }
    }

    private String create() {
        try {
            return api.createSession("flockgate " + node, ttl);
        } catch (ConsulException e) {
            throw String.valueOf(e.getMessage()).contains(INVALID_TTL) ? ttlRefused(e) : e.withRight(RIGHT);
        }
    }

    private ConsulException ttlRefused(ConsulException e) {
        String message = "--consul-session-ttl " + ttl.toSeconds()
                + ": Consul accepts no session with this TTL. Start the gateways with a TTL that Consul takes, or change"
                + " session_ttl_min on Consul's servers. " + e.getMessage();
        return new ConsulException(e.kind(), e.effect(), message, e);
    }

    /**
     * Renews a session. False when Consul does not have it.
     *
     * @throws ConsulException when there is no answer in time
     */
    boolean renew(String id) {
        try {
            return api.renewSession(id);
        } catch (ConsulException e) {
            throw e.withRight(RIGHT);
        }
    }

    /** The sessions that were given up and may still exist in Consul. Thread safe. */
    static final class AbandonedSessions {
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
}
