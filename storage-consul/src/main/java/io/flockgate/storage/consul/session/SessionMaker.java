package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.SessionSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes this gateway's sessions in Consul. Thread safe. */
final class SessionMaker {
    private static final String INVALID_TTL = "Invalid Session TTL";

    private final ConsulApi api;
    private final SessionSettings settings;
    private final @Nullable Heartbeat heartbeat;

    SessionMaker(ConsulApi api, SessionSettings settings, @Nullable Heartbeat heartbeat) {
        this.api = api;
        this.settings = settings;
        this.heartbeat = heartbeat;
    }

    /**
     * Makes a session.
     *
     * @param made the moment before
     * @throws ConsulException when there is no session, or perhaps none
     */
    Session make(Session.Renewal made) {
        String name = "flockgate " + settings.node();
        String id = create(
                heartbeat == null
                        ? new SessionSpec(name, settings.ttl())
                        : heartbeat.boundSession(name, settings.ttl()));
        Session session = new Session(id, made);
        session.node(nodeOf(id));
        return session;
    }

    /** The node that a session belongs to; null when Consul does not tell it. */
    private @Nullable String nodeOf(String id) {
        try {
            return api.watchSession(id, 0, Duration.ZERO).node();
        } catch (ConsulException e) {
            return null;
        }
    }

    private String create(SessionSpec spec) {
        try {
            return api.createSession(spec);
        } catch (ConsulException e) {
            String message = String.valueOf(e.getMessage());
            if (message.contains(INVALID_TTL)) {
                String flag = "--consul-session-ttl " + settings.ttl().toSeconds() + ": ";
                throw new ConsulException(e.kind(), e.effect(), flag + message, e);
            }
            throw e.withRight("session_prefix \"\" { policy = \"write\" }");
        }
    }
}
