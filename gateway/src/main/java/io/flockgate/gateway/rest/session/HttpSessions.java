package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.session.ClientIdentity;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.LockStorage.KeptClient;
import io.flockgate.text.Sha256;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All sessions of the REST API. Thread safe. */
public final class HttpSessions {
    private static final Logger LOG = LoggerFactory.getLogger(HttpSessions.class);
    private static final int ID_BYTES = 16;
    private static final long MAX_SWEEP_INTERVAL_MILLIS = 30_000;
    private static final long SWEEP_INTERVAL_WITHOUT_TIMEOUT_MILLIS = 10_000;

    /**
     * The prefix of the key of a session of the previous process, of whose id only the hash is
     * known.
     */
    private static final String RESTORED = "#";

    /** Maximum number of sessions checked in one turn of the event loop. */
    private static final int SWEPT_PER_TURN = 4096;

    private final GatewayConfig config;
    private final SessionFactory factory;
    private final Gate gate;
    private final LostTokens lost = new LostTokens();
    private final RandomGenerator random;
    private final Map<String, HttpSession> byId = new ConcurrentHashMap<>();

    /**
     * Creates an empty table.
     *
     * @param random a source of ids that cannot be guessed
     */
    public HttpSessions(GatewayConfig config, SessionFactory factory, Gate gate, RandomGenerator random) {
        this.config = config;
        this.factory = factory;
        this.random = random;
        this.gate = gate;
    }

    /** Counts a session unless a cap refuses it. If admitted, {@link #create} must follow. */
    Gate.Entry admit(ClientDescription peer, String owner) {
        return gate.enter(Resource.SESSION, counted(peer, owner));
    }

    private static String counted(ClientDescription peer, String owner) {
        return Gate.peer(owner, AddressGroup.ofPeer(peer.address()));
    }

    /**
     * Creates a session that lives on this event loop, and returns its id.
     *
     * @param client what the client says about itself
     * @param owner the name of the only token that may use the session
     */
    String create(EventLoop loop, ClientDescription peer, ClientInfo client, String owner) {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        String id = HexFormat.of().formatHex(bytes);
        LockSession claims = factory.make(loop, peer);
        claims.client().setPrincipal(owner);
        boolean unused = claims.introduce(client);
        if (factory.keepsClients()) {
            claims.client().keepAs(hash(id));
        }
        claims.began();
        add(id, counted(peer, owner), loop, claims);
        return id;
    }

    private void add(String id, String peer, EventLoop loop, LockSession claims) {
        String client = claims.client().lossRecipient();
        if (client != null) {
            lost.join(client);
            claims.whenGrantLost(grant -> lost.add(client, grant.token().toHex()));
        }
        byId.put(id, new HttpSession(id, peer, loop, claims, gate));
    }

    /** Returns the tokens of the grants that the session's client has lost since its last ping. */
    List<String> takeLost(HttpSession session) {
        String client = session.lossRecipient();
        return client == null ? List.of() : lost.take(client);
    }

    private static String hash(String id) {
        return Sha256.hex(id.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Restores a session of the previous process with its grants, as if it had just been seen. On
     * the event loop on which it lives from now on.
     *
     * @return false if a cap leaves no room for it, in which case nothing is restored
     */
    public boolean restore(EventLoop loop, KeptClient kept, ClientIdentity client) {
        String peer = client.countedAs();
        if (gate.enter(Resource.SESSION, peer) != Gate.Entry.ADMITTED) {
            return false;
        }
        add(RESTORED + client.sessionHash(), peer, loop, factory.restore(loop, kept, client));
        return true;
    }

    private @Nullable HttpSession find(String id) {
        HttpSession session = id.startsWith(RESTORED) ? null : byId.get(id);
        return session == null ? byId.get(RESTORED + hash(id)) : session;
    }

    /**
     * Finds a session; null if there is none. If it belongs to this token, it counts as seen now.
     * The id may be any text.
     */
    @Nullable
    HttpSession find(String id, String token, long now) {
        HttpSession session = find(id);
        if (session != null && session.belongsTo(token)) {
            session.seen(now);
        }
        return session;
    }

    /** The id of the storage's grants. */
    Optional<String> incarnation() {
        return factory.storage().incarnation();
    }

    public int count() {
        return gate.count(Resource.SESSION);
    }

    /**
     * Ends the session with this id, which is unknown from now on. Completes when everything is
     * released; null if there is no such session.
     */
    @Nullable
    Future<Void> delete(String id) {
        HttpSession session = byId.remove(id);
        return session == null ? null : end(session, session.close(LockSession::closeAtRequest));
    }

    private Future<Void> end(HttpSession session, Future<Void> closed) {
        // It counts until it has closed, because its claims may still be pending in the storage.
        closed.onComplete(ignored -> gate.leave(Resource.SESSION, session.peer()));
        String client = session.lossRecipient();
        if (client != null) {
            lost.leave(client);
        }
        return closed.onFailure(cause -> LOG.atWarn()
                .addKeyValue("conn", session.number())
                .addKeyValue("err", cause.getMessage())
                .log("session cleanup failed"));
    }

    /**
     * Ends all sessions, because this process is stopping. Completes when everything that does not
     * continue in the next process has been released, whether successfully or not.
     */
    public Future<Void> endAll() {
        List<Future<Void>> ending = new ArrayList<>();
        for (HttpSession session : List.copyOf(byId.values())) {
            if (byId.remove(session.id(), session)) {
                ending.add(end(session, session.close(LockSession::closeAtStop)));
            }
        }
        return Future.join(ending).transform(ignored -> Future.succeededFuture());
    }

    /** The interval at which {@link #sweep} must be called. */
    public long sweepIntervalMillis() {
        long idle = config.http().sessionIdleTimeout().toSeconds();
        return idle == 0 ? SWEEP_INTERVAL_WITHOUT_TIMEOUT_MILLIS : Math.min(idle * 1000, MAX_SWEEP_INTERVAL_MILLIS);
    }

    /**
     * Ends the sessions that have been idle for twice the timeout. On any event loop, in several
     * turns.
     */
    public void sweep(EventLoop loop) {
        if (!config.http().sessionIdleTimeout().isZero()) {
            sweep(loop, byId.values().iterator());
        }
    }

    private void sweep(EventLoop loop, Iterator<HttpSession> sessions) {
        for (int i = 0; i < SWEPT_PER_TURN && sessions.hasNext(); i++) {
            HttpSession session = sessions.next();
            if (session.mayBeIdle(maxIdleNanos(), loop.now())) {
                session.loop().post(() -> endIfIdle(session));
            }
        }
        if (sessions.hasNext()) {
            loop.after(1, () -> sweep(loop, sessions));
        }
    }

    private long maxIdleNanos() {
        return 2 * Math.min(config.http().sessionIdleTimeout().toNanos(), Long.MAX_VALUE / 8);
    }

    private void endIfIdle(HttpSession session) {
        if (session.isIdle(maxIdleNanos()) && byId.remove(session.id(), session)) {
            LOG.atDebug().addKeyValue("conn", session.number()).log("session idle for too long");
            Future<Void> unused = end(session, session.close(LockSession::close));
        }
    }

    /**
     * The tokens of lost grants, kept until the clients that held them send a ping
     * (protocol-docs/rest-api.md, "Losses"). All sessions of a client share its tokens, so that a
     * ping of any of them reports the losses of all. Thread safe.
     */
    static final class LostTokens {
        /**
         * Maximum number of tokens kept for a client. Losses beyond that are reported by its
         * renewals.
         */
        static final int MAX_TOKENS = 100;

        /** Maximum number of tokens kept for all clients together. */
        static final int MAX_IN_ALL = 10_000;

        private final Map<String, Client> clients = new ConcurrentHashMap<>();
        private final AtomicInteger kept = new AtomicInteger();

        /** A client with at least one session. Changed only within an operation of the map. */
        private static final class Client {
            private final Deque<String> lost = new ArrayDeque<>();
            private int sessions;
        }

        /** Notes that a session of this client has begun. */
        void join(String client) {
            clients.compute(client, (id, known) -> {
                Client joined = known == null ? new Client() : known;
                joined.sessions++;
                return joined;
            });
        }

        /**
         * Notes that a session of this client has ended. Its tokens are discarded with its last
         * session.
         */
        void leave(String client) {
            clients.computeIfPresent(client, (id, known) -> {
                if (--known.sessions > 0) {
                    return known;
                }
                int unused = kept.addAndGet(-known.lost.size());
                return null;
            });
        }

        /** Keeps the token of a lost grant, if the client has a session. */
        void add(String client, String token) {
            clients.computeIfPresent(client, (id, known) -> {
                if (known.lost.size() < MAX_TOKENS && kept.get() < MAX_IN_ALL) {
                    known.lost.add(token);
                    int unused = kept.incrementAndGet();
                }
                return known;
            });
        }

        /** Returns the tokens of the grants that the client has lost since the last call. */
        List<String> take(String client) {
            List<String> taken = new ArrayList<>();
            clients.computeIfPresent(client, (id, known) -> {
                taken.addAll(known.lost);
                known.lost.clear();
                int unused = kept.addAndGet(-taken.size());
                return known;
            });
            return taken;
        }

        /** The number of clients with sessions; for tests. */
        int clients() {
            return clients.size();
        }
    }
}
