package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;
import org.jspecify.annotations.Nullable;

/**
 * Decides from clocks, renewals and doubts whether Consul still has a session.
 *
 * <p>A session is <i>safe</i> while Consul cannot have ended it for lack of renewals or heartbeats: less than a TTL has passed since the last successful renewal was sent. If
 * the session has a check, less than the check's TTL has passed since the last heartbeat, too.
 *
 * <p>A session is <i>in doubt</i> when the agent may be gone, or when more than that time has passed by the time of day alone. Until
 * it has been renewed, the gateway neither grants under it nor confirms a grant. It gives up nothing for a doubt.
 */
final class Belief {
    private final Environment environment;
    private final long ttlNanos;
    private final long checkNanos;
    private final @Nullable Heartbeat heartbeat;
    private final Doubts doubts;

    Belief(Environment environment, SessionSettings settings, @Nullable Heartbeat heartbeat, Doubts doubts) {
        this.environment = environment;
        this.ttlNanos = settings.ttl().toNanos();
        this.checkNanos = settings.checkTtl().toNanos();
        this.heartbeat = heartbeat;
        this.doubts = doubts;
    }

    /** Whether Consul may have ended the session by now for lack of renewals or heartbeats. */
    boolean isOver(Session session, Moment now) {
        return session.renewal().sent().isOver(ttlNanos, now)
                || (heartbeat != null && heartbeat.sent().isOver(checkNanos, now));
    }

    /** Whether Consul may have ended the session by now, if this machine was suspended. */
    boolean mayBeOver(Session session, Moment now) {
        return session.renewal().sent().mayBeOver(ttlNanos, now)
                || (heartbeat != null && heartbeat.sent().mayBeOver(checkNanos, now));
    }

    /** Whether the session is neither over nor in doubt. */
    boolean isSafe(Session session) {
        return session.renewal().doubts() >= doubts.raised() && !mayBeOver(session, Moment.now(environment));
    }
}
