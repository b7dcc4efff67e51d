package io.flockgate.client.tcp;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Grants that end with their connection, each with that connection. dflockd closes a connection
 * that is silent for 23 seconds, so a ping is sent every few seconds. Safe from any thread.
 */
final class BoundGrants {
    private static final Duration LONGEST_TTL = Duration.ofDays(1);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(8);

    private final LeaseEnvironment environment;
    private final Map<String, Bound> grants = new ConcurrentHashMap<>();

    /**
     * @param end the timer that forgets the grant
     */
    private record Bound(LineConnection connection, Subscription end) {}

    BoundGrants(LeaseEnvironment environment) {
        this.environment = environment;
    }

    void bind(String token, LineConnection connection) {
        grants.put(token, new Bound(connection, () -> {}));
        connection.closed().whenComplete((nothing, failure) -> endLater(token, LONGEST_TTL));
        pingLater(token);
    }

    private void pingLater(String token) {
        Subscription unused = environment.scheduler().after(PING_INTERVAL, () -> {
            LineConnection connection = connectionOf(token);
            if (connection != null && connection.isOpen()) {
                ping(connection);
                pingLater(token);
            }
        });
    }

    /**
     * A ping without an answer ends the connection, because a silent network would hide that the
     * server has ended the grant.
     */
    private void ping(LineConnection connection) {
        Subscription late = environment.scheduler().after(PING_INTERVAL, () -> connection.close("no answer to a ping"));
        connection.send(Frames.ping()).whenComplete((reply, failure) -> late.close());
    }

    /**
     * The connection of a grant that ends with it, even if the connection has ended; null for other
     * grants.
     */
    @Nullable
    LineConnection connectionOf(String token) {
        Bound grant = grants.get(token);
        return grant == null ? null : grant.connection();
    }

    /** Called when the grant has ended, so that its connection is no longer needed. */
    void end(String token) {
        Bound grant = grants.remove(token);
        if (grant != null) {
            grant.end().close();
            grant.connection().close("the grant is released");
        }
    }

    /** Ends all grants with their connections. */
    void close() {
        grants.keySet().forEach(this::end);
    }

    /**
     * Ends the connection when the server has ended the grant itself, unless a release does so
     * first.
     */
    void endLater(String token, Duration ttl) {
        grants.computeIfPresent(token, (same, grant) -> {
            grant.end().close();
            return new Bound(grant.connection(), environment.scheduler().after(ttl, () -> end(token)));
        });
    }
}
