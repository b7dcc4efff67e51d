package io.flockgate.client.rest;

import io.flockgate.client.Subscription;
import io.flockgate.client.support.Incarnations;
import io.flockgate.client.support.ServerSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The grants of all sessions. A grant is known until it is released, or its lease has certainly
 * expired. A server without detached sessions ends grants with their session, so such a session is
 * pinged while it has grants. Safe from any thread.
 */
final class SessionGrants {
    /** How much later than the client the server may consider the lease expired. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ServerSettings<RestAddress> settings;
    private final RestHttp http;
    private final Incarnations incarnations;

    /** Guarded by this, like the fields below. */
    private final Map<String, Known> byToken = new HashMap<>();

    private final Map<RestSession, Pings> pings = new HashMap<>();
    private boolean closed;

    /**
     * @param end the timer that forgets the grant
     */
    private record Known(RestSession session, Subscription end) {}

    SessionGrants(ServerSettings<RestAddress> settings, RestHttp http, Incarnations incarnations) {
        this.settings = settings;
        this.http = http;
        this.incarnations = incarnations;
    }

    /** A grant was made in this session. */
    synchronized void made(String token, RestSession session, Duration ttl) {
        session.tokens().add(token);
        if (session.detached()) {
            incarnations.granted(token, session.incarnation(), ttl);
        }
        if (closed) {
            return;
        }
        byToken.put(token, new Known(session, endLater(token, ttl)));
        if (!session.detached() && !pings.containsKey(session)) {
            pings.put(session, Pings.start(settings, http, session, trouble -> report(session, trouble)));
        }
    }

    /** The lease may last for this time from now on. */
    synchronized void extend(String token, Duration ttl) {
        Known known = byToken.get(token);
        if (known != null) {
            known.end().close();
            byToken.put(token, new Known(known.session(), endLater(token, ttl)));
        }
    }

    private Subscription endLater(String token, Duration ttl) {
        Duration left = ttl.compareTo(LONGEST) < 0 ? ttl : LONGEST;
        return settings.environment().scheduler().after(left.plus(GRACE), () -> ended(token));
    }

    private void report(RestSession session, Pings.Trouble trouble) {
        if (trouble == Pings.Trouble.GONE) {
            stopPings(session);
            session.losses().forEach(Runnable::run);
        }
    }

    private synchronized void stopPings(RestSession session) {
        Pings known = pings.remove(session);
        if (known != null) {
            known.close();
        }
    }

    /** The session in which a grant was made, even if the session has ended; null if unknown. */
    synchronized @Nullable RestSession sessionOf(String token) {
        Known known = byToken.get(token);
        return known == null ? null : known.session();
    }

    /** The grant has ended. */
    synchronized void ended(String token) {
        Known known = byToken.remove(token);
        if (known != null) {
            known.end().close();
            known.session().tokens().remove(token);
            if (known.session().tokens().isEmpty()) {
                stopPings(known.session());
            }
        }
    }

    /** Ends all pings and timers. */
    synchronized void close() {
        closed = true;
        byToken.values().forEach(known -> known.end().close());
        byToken.clear();
        pings.values().forEach(Pings::close);
        pings.clear();
    }
}
