package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.layout.SessionOrigin;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Consul sessions of this gateway. One holds the gateway's locks and tickets, the others hold slots of semaphores. One thread
 * renews the first, and {@link SlotRenewals} the others. When a TTL has passed since the last successful renewal was sent, the gateway gives
 * up the session and everything under it, before Consul ends it for lack of renewals (protocol-docs/consul-layout.md, "Sessions").
 * {@link SessionWatch} shows other ends. {@link Belief} says when a session is safe. Thread safe.
 */
public final class Sessions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);
    private static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The maximum time to wait for a session that is being made. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ConsulApi api;
    private final SessionSettings settings;
    private final Environment environment;
    private final Runnable precondition;
    private final Consumer<Set<String>> lost;
    private final @Nullable Heartbeat heartbeat;
    private final ConsulHealth health;
    private final ConsulHealth slotHealth;
    private final SlotSessionPool pool = new SlotSessionPool();
    private final Doubts doubts;
    private final Belief belief;
    private final SessionMaker maker;
    private final SessionWatch watch;
    private final SlotRenewals slots;
    private final List<Timer> threads = new CopyOnWriteArrayList<>();

    /** The sessions that have not been given up, by id. */
    private final Map<String, Session> live = new ConcurrentHashMap<>();

    private final AbandonedSessions abandoned;

    private volatile @Nullable Session lockSession;
    private volatile boolean closed;

    /** True when renewals are due at once: a session was given up, or Consul has reported that a session has ended. */
    private volatile boolean renewSoon;

    private long nextRenewal;

    /**
     * @param process the unique name of this process
     * @param precondition throws when this gateway must not have sessions; called before the gateway's own session is made
     * @param lost receives the ids of the sessions that were given up; must not block
     */
    public Sessions(
            Environment environment,
            ConsulApi api,
            SessionSettings settings,
            String process,
            Runnable precondition,
            Consumer<Set<String>> lost) {
        this.api = api;
        this.precondition = precondition;
        this.settings = settings;
        this.environment = environment;
        this.lost = lost;
        this.heartbeat = settings.hasCheck() ? new Heartbeat(environment, api, process, settings) : null;
        this.health = new ConsulHealth(environment, "sessions");
        this.slotHealth = new ConsulHealth(environment, "sessions of slots");
        this.abandoned = new AbandonedSessions(environment, api, slotHealth);
        this.doubts = new Doubts(environment);
        this.slots = new SlotRenewals(environment, settings.ttl().toNanos(), doubts, slotHealth, this::renew);
        this.belief = new Belief(environment, settings, heartbeat, doubts);
        this.maker = new SessionMaker(api, settings, heartbeat);
        this.watch = new SessionWatch(environment, api, () -> lockSession, this::doubt);
    }

    /** Makes the first session if Consul answers, and keeps all sessions alive from now on. */
    public void start() {
        nextRenewal = environment.now();
        renew();
        threads.add(environment.repeat("consul-sessions", CHECK_NANOS, this::renew));
        threads.add(environment.repeat("consul-slot-sessions", CHECK_NANOS, this::renewSlots));
        threads.add(environment.repeat("consul-ended-sessions", CHECK_NANOS, this::endSessions));
        threads.add(environment.repeat("consul-watchdog", CHECK_NANOS, this::giveUpStale));
        if (heartbeat != null) {
            long pause = settings.checkTtl().toNanos() / 4;
            threads.add(environment.repeat("consul-heartbeat", pause, () -> heartbeat.tryToBeat(health)));
        }
        watch.start();
    }

    private void doubt() {
        doubts.raise();
        renewSoon();
    }

    /** Renews the session of the locks and tickets if it is time, or makes it. */
    private void renew() {
        if (closed || (!renewSoon && environment.now() - nextRenewal < 0)) {
            return;
        }
        renewSoon = false;
        long begun = environment.now();
        boolean good = tryToRenew();
        nextRenewal = good ? begun + settings.ttl().toNanos() / 3 : environment.now() + RETRY_NANOS;
    }

    private boolean tryToRenew() {
        try {
            long doubted = doubts.raised();
            if (heartbeat != null && (lockSession == null || doubts.isOpen())) {
                heartbeat.beat();
            }
            Session mine = lockSession;
            if (mine != null) {
                slots.timed(mine);
            }
            doubts.settleOwn(doubted);
            mine = lockSession;
            if (mine == null || !live.containsKey(mine.id())) {
                precondition.run();
                lockSession = make();
            }
            health.good();
            return true;
        } catch (ConsulException e) {
            health.failed(e);
            return false;
        }
    }

    private void renewSlots() {
        Session mine = lockSession;
        if (!closed) {
            slots.run(live.values().stream().filter(each -> each != mine).toList());
        }
    }

    /** Ends the sessions that were given up, or that nobody needs. A new session of the gateway's own comes first. */
    private void endSessions() {
        boolean makesOwn = lockSession == null && health.isGood();
        if (!closed && !makesOwn) {
            endUnused();
            abandoned.tryToEnd();
        }
    }

    private void renew(Session session) {
        if (closed || !live.containsKey(session.id())) {
            return;
        }
        Session.Renewal renewal = renewal();
        if (api.renewSession(session.id())) {
            session.renewed(renewal);
        } else if (!closed) {
            LOG.warn("a session has ended in Consul; all locks and slots under it are lost");
            giveUp(List.of(session));
        }
    }

    private Session.Renewal renewal() {
        return new Session.Renewal(Moment.now(environment), doubts.raised());
    }

    private Session make() {
        Session session = maker.make(renewal());
        live.put(session.id(), session);
        return session;
    }

    private void endUnused() {
        for (Session session : pool.takeUnused(UNUSED_NANOS, environment.now())) {
            live.remove(session.id());
            abandoned.add(session.id());
        }
    }

    private void giveUpStale() {
        Moment now = Moment.now(environment);
        List<Session> stale =
                live.values().stream().filter(each -> belief.isOver(each, now)).toList();
        live.keySet().forEach(this::doubtAfterSleep);
        if (!stale.isEmpty() && !closed) {
            LOG.warn(
                    "Consul has not confirmed this gateway's sessions in time; all locks and slots under them are given up");
            giveUp(stale);
        }
    }

    /** Raises a doubt if this machine may have been suspended for too long. Threads that notice the same raise one doubt. */
    private synchronized void doubtAfterSleep(String id) {
        Session session = live.get(id);
        if (session != null && !doubts.isOpen() && !belief.isSafe(session)) {
            doubt();
        }
    }

    /** Gives up all sessions, and everything under them. New ones are made as soon as the precondition holds. */
    public void giveUpAll() {
        giveUp(List.copyOf(live.values()));
    }

    private void giveUp(Collection<Session> sessions) {
        Set<String> ids = new HashSet<>();
        for (Session session : sessions) {
            if (session == lockSession) {
                lockSession = null;
            }
            pool.remove(session);
            if (live.remove(session.id(), session)) {
                ids.add(session.id());
            }
        }
        if (!ids.isEmpty()) {
            renewSoon = true;
            lost.accept(ids);
            // Not before all claimants are told: other gateways grant a slot at once when its session ends alone.
            ids.forEach(abandoned::add);
        }
    }

    /**
     * The session that holds locks and tickets. Waits for a moment if a new one is being made.
     *
     * @throws ConsulException when there is none that is safe
     */
    public String lockSession() {
        return requireLockSession().id();
    }

    @CanIgnoreReturnValue
    private Session requireLockSession() {
        Session session = awaitLockSession();
        while (session != null && !isConfirmed(session.id())) {
            // It may have been replaced meanwhile.
            Session next = awaitLockSession();
            session = next == session ? null : next;
        }
        if (session == null) {
            throw health.unavailable("no session in Consul");
        }
        return session;
    }

    private @Nullable Session awaitLockSession() {
        long until = environment.now() + MAX_WAIT_NANOS;
        Session session = lockSession;
        while (session == null
                && health.isGood()
                && environment.now() - until < 0
                && Doubts.sleepBriefly(environment)) {
            session = lockSession;
        }
        return session;
    }

    /**
     * The session that holds locks and tickets, once it is another one than the one that has ended. Waits while a new one is made.
     *
     * @throws ConsulException when there is none by the deadline, or none can be made
     */
    public String lockSessionAfter(String ended, long deadline) {
        renewSoon = true;
        while (health.isGood() && environment.now() - deadline < 0 && Doubts.sleepBriefly(environment)) {
            Session session = lockSession;
            if (session != null && !session.id().equals(ended) && isSafe(session.id())) {
                return session.id();
            }
        }
        throw health.unavailable("no session in Consul");
    }

    /** Whether this session is safe. While it is in doubt, waits a few seconds for its renewal. */
    public boolean isConfirmed(String id) {
        doubtAfterSleep(id);
        doubts.awaitSettled(() -> isSafe(id) || !live.containsKey(id));
        return isSafe(id);
    }

    /**
     * Whether this session is safe, as {@link #isConfirmed}.
     *
     * @throws ConsulException while it is in doubt and not given up
     */
    public boolean requireConfirmed(String id) {
        boolean safe = isConfirmed(id);
        if (!safe && live.containsKey(id) && doubts.isOpen()) {
            throw health.unavailable("Consul has not confirmed this gateway's sessions");
        }
        return safe;
    }

    /**
     * A session to hold a slot. It is made if necessary, and counts as used until {@link #giveBackSlotSession}.
     *
     * @param wanted whether the session of an id is suitable
     * @throws ConsulException when there is none and none can be made
     */
    public String takeSlotSession(Predicate<String> wanted) {
        doubts.awaitSettled(() -> false);
        Session taken = pool.takeOrMake(wanted.and(this::isSafe), () -> {
            requireLockSession();
            return make();
        });
        return taken.id();
    }

    /** Gives back a session whose slot is free again, or was not taken. */
    public void giveBackSlotSession(String id) {
        pool.giveBack(id, environment.now());
    }

    /** Whether this is a session of this gateway that Consul cannot have ended for lack of renewals. */
    public boolean isSafe(String id) {
        Session session = live.get(id);
        return session != null && belief.isSafe(session);
    }

    /** Whether Consul has this session. Asks Consul; without an answer it is taken to exist. */
    public boolean exists(String id) {
        Session session = live.get(id);
        if (session != null) {
            try {
                renew(session);
            } catch (ConsulException e) {
                health.failed(e);
            }
        }
        return live.containsKey(id);
    }

    /** Where a session of this gateway comes from. Each may belong to another node if the address leads to several agents. */
    public SessionOrigin origin(String id) {
        Session session = live.get(id);
        return new SessionOrigin(
                session == null ? null : session.node(), settings.ttl().toMillis());
    }

    /** The earliest of the times at which the last renewals of the sessions were sent; for tests. */
    long oldestRenewal() {
        return live.values().stream()
                .mapToLong(each -> each.renewal().sent().nanos())
                .min()
                .orElse(Long.MIN_VALUE);
    }

    /** Renews all sessions soon, because Consul has reported that one of them has ended. */
    public void renewSoon() {
        renewSoon = true;
        slots.soon();
    }

    /** The reason why Consul cannot be used; empty when it can. */
    public Optional<String> failure() {
        if (lockSession != null) {
            long patience = settings.ttl().toNanos() / 3;
            return health.failureReason(patience).or(() -> slotHealth.failureReason(patience));
        }
        return health.failureReason(0).or(() -> Optional.of("no session in Consul yet"));
    }

    /** Ends all sessions. Consul then deletes everything that they still hold. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(Timer::cancel);
        watch.stop();
        live.keySet().forEach(abandoned::add);
        try {
            abandoned.end();
        } catch (ConsulException e) {
            LOG.atWarn()
                    .addKeyValue("err", e.getMessage())
                    .log("sessions could not be ended; Consul ends them when their TTL is over");
        }
        if (heartbeat != null) {
            heartbeat.end();
        }
    }
}
