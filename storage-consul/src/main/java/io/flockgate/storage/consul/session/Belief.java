package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.environment.Environment;

/**
 * Decides from clocks, renewals and doubts whether Consul still has a session.
 *
 * <p>A session is <i>safe</i> while Consul cannot have ended it for lack of renewals: less than a
 * TTL has passed since the last successful renewal was sent.
 *
 * <p>A session is <i>in doubt</i> when the agent may have ended, or when more than that time has
 * passed by the time of day alone. Until it has been renewed, the gateway neither grants under it
 * nor confirms a grant. A doubt alone makes it give up nothing.
 */
final class Belief {
    private final Environment environment;
    private final long ttlNanos;
    private final Doubts doubts;

    Belief(Environment environment, SessionSettings settings, Doubts doubts) {
        this.environment = environment;
        this.ttlNanos = settings.ttl().toNanos();
        this.doubts = doubts;
    }

    /** Whether Consul may have ended the session by now for lack of renewals. */
    boolean isOver(Session session, Moment now) {
        return session.renewal().sent().isOver(ttlNanos, now);
    }

    /** Whether Consul may have ended the session by now, if this machine was suspended. */
    boolean mayBeOver(Session session, Moment now) {
        return session.renewal().sent().mayBeOver(ttlNanos, now);
    }

    /** Whether the session is neither over nor in doubt. */
    boolean isSafe(Session session) {
        return session.renewal().doubts() >= doubts.raised() && !mayBeOver(session, Moment.now(environment));
    }
}
