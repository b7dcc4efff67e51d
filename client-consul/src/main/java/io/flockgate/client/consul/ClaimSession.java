package io.flockgate.client.consul;

import io.flockgate.consul.kv.ConsulException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A session that a claim creates when it first needs it. For one thread. */
final class ClaimSession {
    private final Parts parts;
    private final Duration ttl;
    private final Duration timeout;
    private @Nullable String id;
    private long renewedAt;

    /**
     * @param timeout the time to wait for the answer when the session is ended
     */
    ClaimSession(Parts parts, Duration ttl, Duration timeout) {
        this.parts = parts;
        this.ttl = ttl;
        this.timeout = timeout;
    }

    /** The session, with most of its TTL left. Creates it if there is none. */
    String get(long deadline) {
        if (untilRenewal() <= 0) {
            renew(deadline);
        }
        String known = id;
        if (known != null) {
            return known;
        }
        long sent = parts.nanos();
        String made = make(deadline);
        id = made;
        renewedAt = sent;
        return made;
    }

    private String make(long deadline) {
        String name = parts.newSessionName();
        try {
            return parts.api().createSession(name, ttl, deadline);
        } catch (ConsulException failed) {
            if (failed.mayBeDone()) {
                parts.lost().add(name, ttl);
            }
            throw failed;
        }
    }

    boolean is(@Nullable String other) {
        return other != null && other.equals(id);
    }

    /** The nanoseconds until the session must be renewed; the maximum if there is none. */
    long untilRenewal() {
        return id == null ? Long.MAX_VALUE : ttl.toNanos() / 3 - (parts.nanos() - renewedAt);
    }

    /** Renews the session, or forgets it if it has ended. */
    void renew(long deadline) {
        String known = id;
        long sent = parts.nanos();
        if (known != null && parts.api().urgent().renewSession(known, deadline)) {
            renewedAt = sent;
        } else {
            id = null;
        }
    }

    /** Leaves the session to the grant that it holds, or to its end. */
    void leave() {
        id = null;
    }

    /** Ends the session, and with it anything that it may still come to hold. */
    void end() {
        String known = id;
        if (known != null) {
            id = null;
            parts.endSession(known, timeout);
        }
    }
}
