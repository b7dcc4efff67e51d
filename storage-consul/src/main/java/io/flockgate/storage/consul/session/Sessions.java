package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import io.flockgate.storage.consul.kv.ConsulException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The Consul sessions of this gateway, for the parts that hold something under them. One holds the
 * gateway's locks and tickets, and the others hold slots of semaphores. {@link SessionUpkeep} keeps
 * them alive. {@link Session} defines when one is safe. Thread safe.
 *
 * <p>The session of a detached grant holds this grant alone and outlives the gateway that created
 * it. Any gateway may renew or end it:
 *
 * <ol>
 *   <li>Its TTL is longer than the lease, so the lease ends first.
 *   <li>A gateway that renews the lease renews the session first.
 *   <li>The gateway that frees the slot ends the session. If no gateway does so, Consul ends it one
 *       to two TTLs after its last renewal.
 * </ol>
 */
public final class Sessions implements AutoCloseable {
    /** The maximum time to wait for a session that is being created. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long MIN_DETACHED_SECONDS = 120;

    /** The maximum TTL that Consul accepts. */
    private static final long MAX_DETACHED_SECONDS = 86_400;

    /** The TTL in lease lengths, because a renewal may request a longer lease than the claim. */
    private static final int LEASES = 4;

    private final ConsulApi api;
    private final String node;
    private final Duration ttl;
    private final Environment environment;
    private final SessionUpkeep upkeep;

    /**
     * @param node the gateway's name, shown to operators
     * @param ttl the minimum time for which a session lasts after a renewal
     * @param precondition throws when this gateway must not have sessions; called before the
     *     gateway's own session is created, and again afterwards
     * @param lost receives the ids of the sessions that were given up; must not block
     */
    public Sessions(
            Environment environment,
            ConsulApi api,
            String node,
            Duration ttl,
            Runnable precondition,
            Consumer<Set<String>> lost) {
        this.api = api;
        this.node = node;
        this.ttl = ttl;
        this.environment = environment;
        this.upkeep = new SessionUpkeep(environment, api, node, ttl, precondition, lost);
    }

    /** Creates the first session if Consul answers, and keeps all sessions alive from now on. */
    public void start() {
        upkeep.start();
    }

    /**
     * Gives up all sessions, and everything under them. New ones are created as soon as the
     * precondition holds.
     */
    public void giveUpAll() {
        upkeep.giveUpAll();
    }

    /**
     * The session that holds locks and tickets. Waits briefly if a new one is being created.
     *
     * @throws ConsulException when there is no safe one
     */
    public String lockSession() {
        return requireLockSession().id();
    }

    @CanIgnoreReturnValue
    private Session requireLockSession() {
        Session session = awaitLockSession(null);
        while (session != null && !isConfirmed(session.id())) {
            // It may have been replaced meanwhile. If it has ended, the next one is being created.
            Session ended = upkeep.find(session.id()) == null ? session : null;
            Session next = awaitLockSession(ended);
            session = next == session ? null : next;
        }
        if (session == null) {
            throw upkeep.health().unavailable("no session in Consul");
        }
        return session;
    }

    /**
     * The session that holds locks and tickets, if it is safe now; null otherwise. Does not wait.
     */
    public @Nullable String ownIfSafe() {
        Session own = upkeep.own();
        return own != null && isSafe(own.id()) ? own.id() : null;
    }

    /** Waits briefly while there is no session other than this one, which has ended. */
    private @Nullable Session awaitLockSession(@Nullable Session ended) {
        long until = environment.now() + MAX_WAIT_NANOS;
        Session session = upkeep.own();
        while ((session == null || session == ended)
                && upkeep.health().isGood()
                && environment.now() - until < 0
                && environment.pause(PAUSE_NANOS)) {
            session = upkeep.own();
        }
        return session;
    }

    /**
     * The session that holds locks and tickets, once the ended one has been replaced. Waits while a
     * new one is created.
     *
     * @throws ConsulException when there is none by the deadline, or none can be created
     */
    public String lockSessionAfter(String ended, long deadline) {
        upkeep.renewOwnSoon();
        while (upkeep.health().isGood() && environment.now() - deadline < 0 && environment.pause(PAUSE_NANOS)) {
            Session session = upkeep.own();
            if (session != null && !session.id().equals(ended) && isSafe(session.id())) {
                return session.id();
            }
        }
        throw upkeep.health().unavailable("no session in Consul");
    }

    /**
     * Whether this session is safe. If it is not, because the machine was suspended, asks Consul by
     * a renewal, which all threads that ask at the time share.
     */
    public boolean isConfirmed(String id) {
        Session session = upkeep.find(id);
        if (session != null && !isSafe(id)) {
            session.ask(() -> {
                if (!isSafe(id)) {
                    renew(session);
                }
            });
        }
        return isSafe(id);
    }

    /**
     * Whether this session is safe, as {@link #isConfirmed}.
     *
     * @throws ConsulException when Consul does not answer
     */
    public boolean requireConfirmed(String id) {
        boolean safe = isConfirmed(id);
        if (!safe && upkeep.find(id) != null) {
            throw unconfirmed();
        }
        return safe;
    }

    private ConsulException unconfirmed() {
        return upkeep.health().unavailable("Consul has not confirmed this gateway's sessions");
    }

    /** The reason why a session of a grant is not safe. */
    public String whyUnsafe(String id) {
        return upkeep.find(id) == null
                ? "the session of the grant has ended"
                : String.valueOf(unconfirmed().getMessage());
    }

    private void renew(Session session) {
        try {
            upkeep.renew(session);
        } catch (ConsulException e) {
            upkeep.health().failed(e);
        }
    }

    /**
     * A session to hold a slot. It is created if necessary, and counts as used until {@link
     * #giveBackSlotSession}.
     *
     * @param wanted whether the session with an id is suitable
     * @throws ConsulException when there is none and none can be created
     */
    public String takeSlotSession(Predicate<String> wanted) {
        return underOwn(() -> upkeep.pool()
                .takeOrMake(wanted.and(this::isSafe), this::requireLockSession)
                .id());
    }

    /**
     * Creates a session that requires this gateway's own. If the gateway's own session turns out to
     * have ended, the creation is repeated once, under the next one.
     *
     * @throws ConsulException when it cannot be created
     */
    public String underOwn(Supplier<String> making) {
        Session own = upkeep.own();
        try {
            return making.get();
        } catch (ConsulException e) {
            boolean ended = own != null && upkeep.find(own.id()) == null;
            if (!ended) {
                throw e;
            }
            return making.get();
        }
    }

    /**
     * Requires Consul to have the session that holds locks and tickets; a session that was created
     * earlier then belongs to the same data.
     *
     * @throws ConsulException when there is none, or no answer
     */
    public void requireOwn() {
        upkeep.requireOwn();
    }

    /** Gives back a session whose slot is free again or was not taken. */
    public void giveBackSlotSession(String id) {
        upkeep.pool().giveBack(id);
    }

    /**
     * Whether this is a session of this gateway that Consul cannot have ended for lack of renewals.
     */
    public boolean isSafe(String id) {
        return upkeep.isSafe(id);
    }

    /**
     * Whether Consul has this session of this gateway. Queries Consul by a renewal, which all
     * threads that ask at the time share. Without an answer, the session is assumed to exist.
     */
    @CanIgnoreReturnValue
    public boolean exists(String id) {
        Session session = upkeep.find(id);
        if (session != null) {
            session.ask(() -> renew(session));
        }
        return upkeep.find(id) != null;
    }

    /**
     * The origin of a session of this gateway. Each may belong to another node if the address leads
     * to several agents.
     */
    public SessionOrigin origin(String id) {
        Session session = upkeep.find(id);
        return new SessionOrigin(session == null ? null : session.node(), ttl.toMillis(), false);
    }

    /** The seconds for which the session of a detached grant with such a lease lasts. */
    public static long detachedTtlSeconds(long leaseSeconds) {
        return Math.clamp(
                Math.min(leaseSeconds, MAX_DETACHED_SECONDS) * LEASES, MIN_DETACHED_SECONDS, MAX_DETACHED_SECONDS);
    }

    /**
     * Creates a session for a detached grant with a lease of this length, and returns its id.
     *
     * @throws ConsulException when there is none, or possibly none
     */
    public String makeDetached(long leaseSeconds) {
        return api.createSession(
                "flockgate " + node + " (detached)", Duration.ofSeconds(detachedTtlSeconds(leaseSeconds)));
    }

    /**
     * Renews the session of a detached grant. Returns false when it does not exist.
     *
     * @throws ConsulException when there is no answer in time
     */
    @CanIgnoreReturnValue
    public boolean renewDetached(String id) {
        return api.renewSession(id);
    }

    /** Ends the session of a detached grant soon, after its slot was freed or was not taken. */
    public void endDetached(String id) {
        upkeep.abandon(id);
    }

    /**
     * The earliest of the times at which the last renewals of the sessions were sent; for tests.
     */
    long oldestRenewal() {
        return upkeep.all().stream().mapToLong(Session::renewedAt).min().orElse(Long.MIN_VALUE);
    }

    /** Renews all sessions soon, because one of them may have ended. */
    public void renewAllSoon() {
        upkeep.renewAllSoon();
    }

    /** The reason why Consul cannot be used; empty when it can. */
    public Optional<String> failure() {
        return upkeep.failure();
    }

    /**
     * Ends all sessions except those of detached grants. Entries that they still hold stay in
     * Consul without a session.
     */
    @Override
    public void close() {
        upkeep.close();
    }
}
