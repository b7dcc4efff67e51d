package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Creates, renews and ends the Consul sessions of detached grants. Each such session holds one
 * grant and outlives the gateway that created it, and any gateway may renew or end it. Thread safe.
 *
 * <ol>
 *   <li>A session is created for one grant. Its TTL is longer than the lease, so the lease ends
 *       first.
 *   <li>A gateway that renews the lease renews the session first.
 *   <li>The gateway that frees the slot ends the session. If no gateway does so, Consul ends it one
 *       to two TTLs after its last renewal.
 * </ol>
 */
public final class DetachedSessions implements AutoCloseable {
    private static final long MIN_TTL_SECONDS = 120;

    /** The maximum TTL that Consul accepts. */
    private static final long MAX_TTL_SECONDS = 86_400;

    /** The TTL in lease lengths, because a renewal may request a longer lease than the claim. */
    private static final int LEASES = 4;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ConsulApi api;
    private final String name;
    private final AbandonedSessions ended;
    private final Timer ending;

    /**
     * @param node the gateway's name, shown to operators
     */
    public DetachedSessions(Environment environment, ConsulApi api, String node) {
        this.api = api;
        this.name = "flockgate " + node + " (detached)";
        this.ended = new AbandonedSessions(environment, api);
        this.ending = environment.repeat("consul-detached-sessions", PAUSE_NANOS, ended::tryToEnd);
    }

    /** The seconds for which a session lasts if it is created for a lease of this length. */
    public static long ttlSeconds(long leaseSeconds) {
        return Math.clamp(Math.min(leaseSeconds, MAX_TTL_SECONDS) * LEASES, MIN_TTL_SECONDS, MAX_TTL_SECONDS);
    }

    /**
     * Creates a session for a grant with a lease of this length, and returns its id.
     *
     * @throws io.flockgate.storage.consul.kv.ConsulException when there is none, or possibly none
     */
    public String make(long leaseSeconds) {
        return api.createSession(new SessionSpec(name, Duration.ofSeconds(ttlSeconds(leaseSeconds))));
    }

    /**
     * Renews a session. Returns false when it does not exist.
     *
     * @throws io.flockgate.storage.consul.kv.ConsulException when there is no answer in time
     */
    public boolean renew(String id) {
        return api.renewSession(id);
    }

    /** Ends a session soon, after its slot was freed or was not taken. */
    public void end(String id) {
        ended.add(id);
    }

    /**
     * Ends the sessions that are still to be ended, if Consul answers. Leaves those of grants
     * alone.
     */
    @Override
    public void close() {
        ending.cancel();
        ended.tryToEnd();
    }
}
