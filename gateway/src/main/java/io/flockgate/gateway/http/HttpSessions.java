package io.flockgate.gateway.http;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.HttpConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.net.ConnectionCounter;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.gateway.net.Times;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All sessions of the REST API. Thread safe. */
final class HttpSessions {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSessions.class);
    private static final int ID_BYTES = 16;
    private static final long LONGEST_SWEEP_INTERVAL_MILLIS = 30_000;
    private static final long SWEEP_INTERVAL_WITHOUT_TIMEOUT_MILLIS = 10_000;

    /** Sessions looked at in one turn of the event loop. */
    private static final int SWEPT_AT_A_STRETCH = 4096;

    private final GatewayConfig config;
    private final LockStorage storage;
    private final AtomicLong connectionIds;
    private final SessionEvents events;
    private final ConnectionCounter counter;
    private final RandomGenerator random;
    private final Map<String, HttpSession> byId = new ConcurrentHashMap<>();
    private final Set<Long> ids = ConcurrentHashMap.newKeySet();

    /**
     * Makes an empty table.
     *
     * @param connectionIds the last number given to a connection or session of this process
     * @param events who is told what happens to claims
     * @param random what nobody can guess: ids are made of it
     */
    HttpSessions(
            GatewayConfig config,
            LockStorage storage,
            AtomicLong connectionIds,
            SessionEvents events,
            RandomGenerator random) {
        this.config = config;
        this.storage = storage;
        this.connectionIds = connectionIds;
        this.events = events;
        this.random = random;
        HttpConfig http = config.http();
        this.counter = new ConnectionCounter(http.maxSessions(), http.maxSessionsPerIp());
    }

    /** What comes of the wish for a session. */
    sealed interface Creation {
        record Created(String id) implements Creation {}

        /**
         * There are as many as there may be.
         *
         * @param cap which cap stands against it
         */
        record Refused(Entry cap) implements Creation {}

        /** There is no randomness to make an id of. */
        enum Failed implements Creation {
            FAILED
        }
    }

    /** Makes a session that lives on this event loop. */
    Creation create(EventLoop loop, String address) {
        Entry entry = counter.enter(address);
        if (entry != Entry.ADMITTED) {
            return new Creation.Refused(entry);
        }
        byte[] bytes = new byte[ID_BYTES];
        try {
            random.nextBytes(bytes);
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("err", e.toString()).log("session not made");
            counter.leave(address);
            return Creation.Failed.FAILED;
        }
        String id = HexFormat.of().formatHex(bytes);
        LockSession locks = new LockSession(
                connectionIds.incrementAndGet(), storage, loop, config.tcp().autoRelease(), events);
        HttpSession session = new HttpSession(id, address, loop, locks);
        ids.add(session.connectionId());
        byId.put(id, session);
        return new Creation.Created(id);
    }

    /** The session of this id, which counts as seen now; null when there is none. Any text may be asked for. */
    @Nullable
    HttpSession find(String id, long now) {
        HttpSession session = byId.get(id);
        if (session != null) {
            session.seen(now);
        }
        return session;
    }

    int count() {
        return counter.total();
    }

    /** Whether this is the number of a session, as inspections show it. */
    boolean has(long connectionId) {
        return ids.contains(connectionId);
    }

    /**
     * Ends the session of this id: from now on it is unknown. Completes when everything is given back; null when there is no
     * such session.
     */
    @Nullable
    Future<Void> delete(String id) {
        HttpSession session = byId.remove(id);
        return session == null ? null : end(session);
    }

    private Future<Void> end(HttpSession session) {
        ids.remove(session.connectionId());
        counter.leave(session.address());
        return session.close()
                .onFailure(cause -> LOG.atWarn()
                        .addKeyValue("conn", session.connectionId())
                        .addKeyValue("err", cause.getMessage())
                        .log("session cleanup failed"));
    }

    /** Ends all sessions. Completes when everything is given back, whether that went well or not. */
    Future<Void> endAll() {
        List<Future<Void>> ending = new ArrayList<>();
        for (String id : byId.keySet()) {
            Future<Void> ended = delete(id);
            if (ended != null) {
                ending.add(ended);
            }
        }
        return Future.join(ending).transform(ignored -> Future.succeededFuture());
    }

    /** How often {@link #sweep} is to be called. */
    long sweepIntervalMillis() {
        long idle = config.http().sessionIdleTimeout().toSeconds();
        return idle == 0 ? SWEEP_INTERVAL_WITHOUT_TIMEOUT_MILLIS : Math.min(idle * 1000, LONGEST_SWEEP_INTERVAL_MILLIS);
    }

    /** Ends the sessions that have been idle for twice the timeout. On any event loop; in bites. */
    void sweep(EventLoop loop) {
        if (!config.http().sessionIdleTimeout().isZero()) {
            sweep(loop, byId.values().iterator());
        }
    }

    private void sweep(EventLoop loop, Iterator<HttpSession> sessions) {
        for (int i = 0; i < SWEPT_AT_A_STRETCH && sessions.hasNext(); i++) {
            HttpSession session = sessions.next();
            if (session.mayBeIdle(longestIdleNanos(), loop.now())) {
                session.loop().post(() -> reap(session));
            }
        }
        if (sessions.hasNext()) {
            loop.after(1, () -> sweep(loop, sessions));
        }
    }

    private long longestIdleNanos() {
        return 2 * Math.min(Times.nanos(config.http().sessionIdleTimeout()), Long.MAX_VALUE / 8);
    }

    private void reap(HttpSession session) {
        if (session.isIdle(longestIdleNanos()) && byId.remove(session.id(), session)) {
            LOG.atDebug().addKeyValue("conn", session.connectionId()).log("session idle for too long");
            Future<Void> unused = end(session);
        }
    }
}
