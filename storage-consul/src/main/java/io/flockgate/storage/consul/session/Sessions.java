package io.flockgate.storage.consul.session;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulHealth;
import io.flockgate.storage.consul.api.SessionSpec;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import java.util.ArrayList;
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
 * renews the first of these, and has up to four helpers renew the others. When a TTL has passed since the last successful renewal was sent, the gateway gives up the session and
 * everything that it holds. For lack of renewals Consul ends the session later than that, so the gateway gives up
 * first (protocol-docs/consul-layout.md, "Sessions"). If Consul has ended it for another reason, the next renewal shows that. Thread
 * safe.
 *
 * <p>A session is <i>safe</i> while Consul cannot have ended it for lack of renewals or heartbeats: less than a TTL has passed since the last successful renewal was sent. If
 * the session has a check, less than the check's TTL has passed since the last heartbeat, too.
 */
public final class Sessions implements AutoCloseable {
    private static final String INVALID_TTL = "Invalid Session TTL";
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
    private final SlotSessionPool pool = new SlotSessionPool();
    private final List<Timer> threads = new CopyOnWriteArrayList<>();

    /** The sessions that have not been given up, by id. */
    private final Map<String, Session> live = new ConcurrentHashMap<>();

    /** The ids of sessions that were given up and may still exist in Consul. Guarded by itself. */
    private final Set<String> abandoned = new HashSet<>();

    private volatile @Nullable Session lockSession;
    private volatile boolean closed;

    /** True when a renewal is due at once: a session was given up, or Consul has reported that a session has ended. */
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
    }

    /** Makes the first session if Consul answers, and keeps all sessions alive from now on. */
    public void start() {
        nextRenewal = environment.now();
        renew();
        threads.add(environment.repeat("consul-sessions", CHECK_NANOS, this::renew));
        threads.add(environment.repeat("consul-watchdog", CHECK_NANOS, this::giveUpStale));
        if (heartbeat != null) {
            threads.add(
                    environment.repeat("consul-heartbeat", settings.checkTtl().toNanos() / 4, this::beat));
        }
    }

    private void beat() {
        try {
            if (heartbeat != null) {
                heartbeat.beat();
            }
        } catch (ConsulException e) {
            health.failed(e);
        }
    }

    /** Renews all sessions if it is time. */
    private void renew() {
        if (closed || (!renewSoon && environment.now() - nextRenewal < 0)) {
            return;
        }
        renewSoon = false;
        long begun = environment.now();
        boolean all = tryToRenew();
        nextRenewal = all ? begun + settings.ttl().toNanos() / 3 : environment.now() + RETRY_NANOS;
    }

    private boolean tryToRenew() {
        try {
            if (heartbeat != null && lockSession == null) {
                heartbeat.beat();
            }
            renewAll();
            endAbandoned();
            endUnused();
            Session mine = lockSession;
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

    /** Renews the session of the locks and tickets first, because most depends on it. */
    private void renewAll() {
        Session mine = lockSession;
        List<Session> others = new ArrayList<>(live.values());
        try {
            if (mine != null && others.remove(mine)) {
                renew(mine);
            }
        } finally {
            SessionBatch.of(environment, others, this::renew);
        }
    }

    private void renew(Session session) {
        long sent = environment.now();
        if (api.renewSession(session.id())) {
            session.renewed(sent);
        } else {
            LOG.warn("a session has ended in Consul; all locks and slots under it are lost");
            giveUp(List.of(session));
        }
    }

    private Session make() {
        long sent = environment.now();
        String name = "flockgate " + settings.node();
        String id = create(
                heartbeat == null
                        ? new SessionSpec(name, settings.ttl())
                        : heartbeat.boundSession(name, settings.ttl()));
        Session session = new Session(id, sent);
        live.put(id, session);
        return session;
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

    private void endAbandoned() {
        for (String id : abandonedIds()) {
            api.destroySession(id);
            synchronized (abandoned) {
                abandoned.remove(id);
            }
        }
    }

    private List<String> abandonedIds() {
        synchronized (abandoned) {
            return List.copyOf(abandoned);
        }
    }

    private void endUnused() {
        for (Session session : pool.takeUnused(UNUSED_NANOS, environment.now())) {
            live.remove(session.id());
            abandon(session.id());
        }
    }

    private void abandon(String id) {
        synchronized (abandoned) {
            abandoned.add(id);
        }
    }

    private void giveUpStale() {
        long now = environment.now();
        List<Session> stale =
                live.values().stream().filter(each -> !isSafe(each, now)).toList();
        if (!stale.isEmpty() && !closed) {
            LOG.warn(
                    "Consul has not confirmed this gateway's sessions in time; all locks and slots under them are given up");
            giveUp(stale);
        }
    }

    private boolean isSafe(Session session, long now) {
        boolean inTime = now - session.renewedAt() < settings.ttl().toNanos();
        return inTime
                && (heartbeat == null
                        || now - heartbeat.sentAt() < settings.checkTtl().toNanos());
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
                abandon(session.id());
                ids.add(session.id());
            }
        }
        if (!ids.isEmpty()) {
            renewSoon = true;
            lost.accept(ids);
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
        long until = environment.now() + MAX_WAIT_NANOS;
        Session session = lockSession;
        while (session == null && health.isGood() && environment.now() - until < 0 && sleepBriefly()) {
            session = lockSession;
        }
        if (session == null || !isSafe(session, environment.now())) {
            throw health.unavailable("no session in Consul");
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
        while (health.isGood() && environment.now() - deadline < 0) {
            Session session = lockSession;
            if (session != null && !session.id().equals(ended) && isSafe(session, environment.now())) {
                return session.id();
            }
            if (!sleepBriefly()) {
                break;
            }
        }
        throw health.unavailable("no session in Consul");
    }

    /** Sleeps for a moment. False when the thread was interrupted. */
    private boolean sleepBriefly() {
        try {
            environment.sleep(CHECK_NANOS / 10);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * A session to hold a slot. It is made if necessary, and counts as used until {@link #giveBackSlotSession}.
     *
     * @param wanted whether the session of an id is suitable
     * @throws ConsulException when there is none and none can be made
     */
    public String takeSlotSession(Predicate<String> wanted) {
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
        return session != null && isSafe(session, environment.now());
    }

    /** The earliest of the times at which the last renewals of the sessions were sent; for tests. */
    long oldestRenewal() {
        return live.values().stream().mapToLong(Session::renewedAt).min().orElse(Long.MIN_VALUE);
    }

    /** Renews all sessions soon, because Consul has reported that one of them has ended. */
    public void renewSoon() {
        renewSoon = true;
    }

    /** The reason why Consul cannot be used; empty when it can. */
    public Optional<String> failure() {
        if (lockSession != null) {
            return health.failureReason(settings.ttl().toNanos() / 3);
        }
        return health.failureReason(0).or(() -> Optional.of("no session in Consul yet"));
    }

    /** Ends all sessions. Consul then deletes everything that they still hold. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(Timer::cancel);
        List<String> ids = new ArrayList<>(abandonedIds());
        ids.addAll(live.keySet());
        try {
            ids.forEach(api::destroySession);
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
