package io.flockgate.storage.consul.session;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.session.Session.Moment;
import io.flockgate.storage.consul.session.SessionMaker.AbandonedSessions;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, renews, gives up and ends the Consul sessions of this gateway. Thread safe.
 *
 * <ol>
 *   <li>One thread creates the gateway's own session, which holds its locks and tickets, and renews
 *       it three times per TTL. The precondition, which reads the record of the cluster, is checked
 *       before the session is created, and again afterwards.
 *   <li>Another thread renews the sessions that hold slots of semaphores ({@link SlotRenewals}).
 *       They are created on demand, and only while Consul still has the gateway's own session.
 *   <li>When a TTL has passed since the last successful renewal was sent, a watchdog gives up the
 *       session and everything under it, before Consul ends it for lack of renewals
 *       (protocol-docs/consul-layout.md, "Sessions"). If a session ends for another reason, a
 *       renewal detects that.
 *   <li>A fourth thread ends the sessions that were given up, after their claimants have been
 *       notified, and slot sessions that have been unused for a long time. It also reads the nodes
 *       of sessions that could not be read when the sessions were created.
 * </ol>
 */
final class SessionUpkeep {
    private static final Logger LOG = LoggerFactory.getLogger(SessionUpkeep.class);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long ttlNanos;
    private final Environment environment;
    private final Runnable precondition;
    private final Consumer<Set<String>> lost;
    private final ConsulHealth health;
    private final ConsulHealth slotHealth;

    private final SlotSessionPool pool;
    private final SessionMaker maker;
    private final SlotRenewals slotRenewals;
    private final List<Timer> timers = new CopyOnWriteArrayList<>();

    /** The sessions that have not been given up, by id. */
    private final Map<String, Session> live = new ConcurrentHashMap<>();

    private final AbandonedSessions abandoned;

    private volatile @Nullable Session own;
    private volatile boolean closed;

    /**
     * Whether the gateway's own session must be renewed or created at once, for instance because a
     * session was given up or may have ended.
     */
    private volatile boolean ownDue;

    private long nextRenewal;

    /** The time at which to read again the nodes that Consul has not reported. */
    private long nextLocation;

    /**
     * @param node the gateway's name, shown to operators
     * @param precondition throws if this gateway must not have sessions; called before the
     *     gateway's own session is created, and again afterwards
     * @param lost receives the ids of the sessions that were given up; must not block
     */
    SessionUpkeep(
            Environment environment,
            ConsulApi api,
            String node,
            Duration ttl,
            Runnable precondition,
            Consumer<Set<String>> lost) {
        this.precondition = precondition;
        this.ttlNanos = ttl.toNanos();
        this.environment = environment;
        this.lost = lost;
        this.health = new ConsulHealth(environment, "sessions");
        this.slotHealth = new ConsulHealth(environment, "sessions of slots");
        // Asks Consul for the gateway's own session, because the gateway still trusts that session
        // after Consul has lost its data.
        this.pool = new SlotSessionPool(environment, () -> makeThenCheck(this::requireOwn));
        this.abandoned = new AbandonedSessions(environment, api);
        this.slotRenewals = new SlotRenewals(environment, ttlNanos, slotHealth, this::renew);
        this.maker = new SessionMaker(api, node, ttl);
    }

    /** Creates the first session if Consul answers, and keeps all sessions alive from now on. */
    void start() {
        nextRenewal = environment.now();
        nextLocation = nextRenewal;
        renewOwn();
        timers.add(environment.repeat("consul-sessions", CHECK_NANOS, this::renewOwn));
        timers.add(environment.repeat("consul-slot-sessions", CHECK_NANOS, this::renewSlots));
        timers.add(environment.repeat("consul-ended-sessions", CHECK_NANOS, this::endSessions));
        timers.add(environment.repeat("consul-watchdog", CHECK_NANOS, this::giveUpStale));
    }

    /** The sessions that hold slots of semaphores. */
    SlotSessionPool pool() {
        return pool;
    }

    /** The health of Consul, as seen by the renewals of the gateway's own session. */
    ConsulHealth health() {
        return health;
    }

    /** The session that holds locks and tickets; null if there is none at present. */
    @Nullable
    Session own() {
        return own;
    }

    /** The session with this id, unless it has been given up; null if there is none. */
    @Nullable
    Session find(String id) {
        return live.get(id);
    }

    Collection<Session> all() {
        return live.values();
    }

    boolean isSafe(String id) {
        Session session = live.get(id);
        return session != null && isSafe(session);
    }

    private boolean isSafe(Session session) {
        return session.isSafe(ttlNanos, Moment.now(environment));
    }

    void renewAllSoon() {
        renewOwnSoon();
        slotRenewals.soon();
    }

    /** Makes the gateway's own session due at once, to be renewed or created. */
    void renewOwnSoon() {
        ownDue = true;
    }

    /**
     * Renews the gateway's own session if it is due, or creates it. After the machine was
     * suspended, it is due at once, and after a failure of any caller a little later.
     */
    private void renewOwn() {
        Session mine = own;
        boolean unsure = !health.isGood() || (mine != null && !isSafe(mine));
        boolean due = ownDue || (unsure && health.isDue(RETRY_NANOS));
        if (closed || (!due && environment.now() - nextRenewal < 0)) {
            return;
        }
        ownDue = false;
        long begun = environment.now();
        boolean good = health.attempt(this::renewOrMakeOwn);
        nextRenewal = good ? begun + ttlNanos / 3 : environment.now() + RETRY_NANOS;
    }

    private void renewOrMakeOwn() {
        Session mine = own;
        if (mine != null) {
            renew(mine);
        }
        mine = own;
        if (mine == null || !live.containsKey(mine.id())) {
            precondition.run();
            // Checked again, because the session may belong to a Consul that has meanwhile lost its
            // data.
            own = makeThenCheck(precondition);
        }
    }

    /**
     * Renews this gateway's own session, to make sure that Consul still has it. If Consul does not,
     * everything under the session is lost.
     *
     * @throws ConsulException if there is no such session, or no answer
     */
    void requireOwn() {
        Session mine = own;
        if (mine != null) {
            renew(mine);
        }
        if (mine == null || !live.containsKey(mine.id())) {
            throw health.unavailable("no session in Consul");
        }
    }

    private void renewSlots() {
        Session mine = own;
        if (!closed) {
            slotRenewals.run(live.values().stream().filter(each -> each != mine).toList());
            if (mine != null) {
                pool.makeSpare();
            }
        }
    }

    /**
     * Creates a session, then makes the check, and abandons the session if the check fails.
     *
     * @param required throws if the session must not be used
     */
    private Session makeThenCheck(Runnable required) {
        Session session = maker.make(Moment.now(environment));
        try {
            required.run();
        } catch (ConsulException e) {
            abandoned.add(session.id());
            throw e;
        }
        live.put(session.id(), session);
        return session;
    }

    /**
     * Renews a session, or gives it up if Consul no longer has it.
     *
     * @throws ConsulException if Consul fails
     */
    void renew(Session session) {
        if (closed || !live.containsKey(session.id())) {
            return;
        }
        Moment sent = Moment.now(environment);
        if (maker.renew(session.id())) {
            session.renewed(sent);
        } else if (!closed) {
            LOG.warn("a session has ended in Consul; all locks and slots under it are lost");
            giveUp(List.of(session));
        }
    }

    private void giveUpStale() {
        Moment now = Moment.now(environment);
        List<Session> stale = live.values().stream()
                .filter(each -> each.isOver(ttlNanos, now))
                .toList();
        if (!stale.isEmpty() && !closed) {
            LOG.warn(
                    "Consul has not confirmed this gateway's sessions in time; all locks and slots under them are given up");
            giveUp(stale);
        }
    }

    /** Gives up all sessions, and everything under them. */
    void giveUpAll() {
        giveUp(List.copyOf(live.values()));
    }

    private void giveUp(Collection<Session> sessions) {
        Set<String> ids = new HashSet<>();
        for (Session session : sessions) {
            if (session == own) {
                own = null;
            }
            pool.remove(session);
            if (live.remove(session.id(), session)) {
                ids.add(session.id());
            }
        }
        if (!ids.isEmpty()) {
            ownDue = true;
            lost.accept(ids);
            // Only after all claimants were notified, because the slots of an ended session may be
            // free at once.
            ids.forEach(abandoned::add);
        }
    }

    /** Ends a session soon, or when this gateway closes. */
    void abandon(String id) {
        abandoned.add(id);
    }

    /**
     * Ends in Consul the sessions that were given up or are no longer needed. The creation of a new
     * session for the gateway itself takes precedence.
     */
    private void endSessions() {
        boolean makesOwn = own == null && health.isGood();
        if (!closed && !makesOwn) {
            endUnused();
            abandoned.tryToEnd();
            locate();
        }
    }

    private void locate() {
        if (environment.now() - nextLocation >= 0) {
            nextLocation = environment.now() + ttlNanos / 3;
            boolean unused =
                    live.values().stream().filter(each -> each.node() == null).allMatch(maker::locate);
        }
    }

    private void endUnused() {
        for (Session session : pool.takeUnused()) {
            live.remove(session.id());
            abandoned.add(session.id());
        }
    }

    /** The reason why Consul cannot be used; empty if it can. */
    Optional<String> failure() {
        if (own != null) {
            long patience = ttlNanos / 3;
            return health.failureReason(patience)
                    .or(() -> slotHealth.failureReason(patience))
                    .or(() -> pool.failureReason(patience));
        }
        return health.failureReason(0).or(() -> Optional.of("no session in Consul yet"));
    }

    /** Ends all sessions. */
    void close() {
        closed = true;
        timers.forEach(Timer::cancel);
        live.keySet().forEach(abandoned::add);
        try {
            abandoned.end();
        } catch (ConsulException e) {
            LOG.atWarn()
                    .addKeyValue("err", e.getMessage())
                    .log("sessions could not be ended; Consul ends them when their TTL expires");
        }
    }
}
