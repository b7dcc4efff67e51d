package io.flockgate.client.tcp;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The grants of this client, of which it reports those that a server takes away, that it has lost
 * with its process, or that it ends with their connection. A server identifies the set of its
 * detached grants by an id, its incarnation.
 *
 * <ol>
 *   <li>A server reports the loss of a single grant on any connection of this client, which it
 *       recognises by {@link #id()}.
 *   <li>Each connection passes on the incarnation in the server's answer, with the times of the
 *       request and of the answer. If an answer names a different incarnation from the last one,
 *       and was requested after that one had arrived, the server has changed in between. All grants
 *       of other incarnations are lost.
 *   <li>Answers whose times overlap prove no order, and change nothing.
 *   <li>A grant is known from its answer on, so that a loss before {@link #onLoss} is reported as
 *       well. It is forgotten when its listener is removed, or if none is added during its time.
 *   <li>A grant that is not detached is lost with its connection, which is kept until the grant is
 *       released, or its time has passed after its listener was removed. dflockd closes a
 *       connection that is silent for 23 seconds, so a ping is sent every few seconds.
 * </ol>
 *
 * Thread safe. Listeners are called without a lock.
 */
final class Grants {
    private static final String RESTARTED =
            "the server has restarted without its grants, so others may hold the slot already";
    private static final String REVOKED = "an operator has released the grant, or the server has given it up";
    private static final String DISCONNECTED =
            "the connection is lost, and this server ends grants with their connection";
    private static final Duration LONGEST = Duration.ofDays(1);
    private static final Duration PING_INTERVAL = Duration.ofSeconds(8);

    private final LeaseEnvironment environment;
    private final String id;

    /** Keyed by token. Guarded by this, like the fields below. */
    private final Map<String, Known> grants = new HashMap<>();

    private @Nullable String current;
    private @Nullable String former;
    private long answeredNanos;
    private boolean closed;

    /** A grant. Guarded by the enclosing object. */
    private static final class Known {
        /** Null if the server reports none. */
        private final @Nullable String incarnation;

        /** The connection with which the grant ends; null if it is detached. */
        private final @Nullable LineConnection connection;

        private final Duration ttl;
        private final List<Consumer<? super Loss>> listeners = new ArrayList<>(1);
        private Subscription end = () -> {};
        private @Nullable Loss loss;

        Known(@Nullable String incarnation, @Nullable LineConnection connection, Duration ttl) {
            this.incarnation = incarnation;
            this.connection = connection;
            this.ttl = ttl.compareTo(LONGEST) < 0 ? ttl : LONGEST;
        }
    }

    /** Starts without grants, and without an answer from any server. */
    Grants(LeaseEnvironment environment) {
        this.environment = environment;
        this.id = HexFormat.of().toHexDigits(environment.random().nextLong())
                + HexFormat.of().toHexDigits(environment.random().nextLong());
    }

    /** The id of this client for its servers, the same on all its connections. */
    String id() {
        return id;
    }

    /**
     * Called when a server has reported its incarnation.
     *
     * @param incarnation null if the server reports none
     */
    void seen(@Nullable String incarnation, long askedNanos, long nowNanos) {
        if (incarnation != null) {
            change(incarnation, askedNanos, nowNanos).forEach(listener -> listener.accept(restarted()));
        }
    }

    private static Loss restarted() {
        return Loss.of(LostReason.SERVER_RESTARTED, RESTARTED);
    }

    private synchronized List<Consumer<? super Loss>> change(String incarnation, long askedNanos, long nowNanos) {
        String last = current;
        List<Consumer<? super Loss>> told = new ArrayList<>();
        if (last != null && !last.equals(incarnation)) {
            if (askedNanos - answeredNanos <= 0) {
                return told;
            }
            former = last;
            grants.values().stream()
                    .filter(grant -> grant.incarnation != null && !grant.incarnation.equals(incarnation))
                    .forEach(grant -> told.addAll(lose(grant, restarted())));
        }
        current = incarnation;
        answeredNanos = nowNanos;
        return told;
    }

    /** The listeners to call; none if the grant was lost before. */
    private static List<Consumer<? super Loss>> lose(@Nullable Known grant, Loss loss) {
        if (grant == null || grant.loss != null) {
            return List.of();
        }
        grant.loss = loss;
        return List.copyOf(grant.listeners);
    }

    /** Called when a server has reported that this grant is no longer held. */
    void lost(String token) {
        lost(token, Loss.of(LostReason.REVOKED, REVOKED));
    }

    private void lost(String token, Loss loss) {
        List<Consumer<? super Loss>> told;
        synchronized (this) {
            told = lose(grants.get(token), loss);
        }
        told.forEach(listener -> listener.accept(loss));
    }

    /**
     * A detached grant was made.
     *
     * @param incarnation that of the server that made it; null if the server reports none
     */
    synchronized void granted(String token, @Nullable String incarnation, Duration ttl) {
        if (!closed) {
            Known grant = new Known(incarnation, null, ttl);
            grant.loss = incarnation != null && incarnation.equals(former) ? restarted() : null;
            grant.end = environment.timers().after(grant.ttl, () -> forget(token));
            grants.put(token, grant);
        }
    }

    /** A grant was made that ends with its connection. */
    void bound(String token, LineConnection connection, Duration ttl) {
        synchronized (this) {
            grants.put(token, new Known(null, connection, ttl));
        }
        connection.closed().whenComplete((nothing, failure) -> {
            lost(token, Loss.of(isClosed() ? LostReason.BACKEND_CLOSED : LostReason.CONNECTION_LOST, DISCONNECTED));
            forgetLater(token);
        });
        pingLater(connection);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private void pingLater(LineConnection connection) {
        Subscription unused = environment.timers().after(PING_INTERVAL, () -> {
            if (connection.isOpen()) {
                ping(connection);
                pingLater(connection);
            }
        });
    }

    /**
     * A ping without an answer ends the connection, because a silent network would hide that the
     * server has ended the grant.
     */
    private void ping(LineConnection connection) {
        Subscription late = environment.timers().after(PING_INTERVAL, () -> connection.close("no answer to a ping"));
        connection.send(Protocol.ping()).whenComplete((reply, failure) -> late.close());
    }

    /**
     * The connection of a grant that ends with it, even if the connection has ended; null for other
     * grants.
     */
    synchronized @Nullable LineConnection connectionOf(String token) {
        Known grant = grants.get(token);
        return grant == null ? null : grant.connection;
    }

    /** Called when the server has ended a grant, so that its own connection is no longer needed. */
    void ended(String token) {
        LineConnection own;
        synchronized (this) {
            Known grant = grants.get(token);
            if (grant == null || grant.connection == null) {
                return;
            }
            own = grant.connection;
            grant.end.close();
            grants.remove(token);
        }
        own.close("the grant is released");
    }

    private synchronized void forget(String token) {
        Known grant = grants.get(token);
        if (grant != null && grant.listeners.isEmpty()) {
            grant.end.close();
            grants.remove(token);
        }
    }

    /** Ends the connection of a grant when its time has passed, unless a release does so first. */
    private synchronized void forgetLater(String token) {
        Known grant = grants.get(token);
        if (grant != null && !closed) {
            grant.end.close();
            grant.end = environment.timers().after(grant.ttl, () -> ended(token));
        }
    }

    /** A connection that ends from now on has been ended by this client. */
    synchronized void closing() {
        closed = true;
    }

    /** Forgets all grants, so that no timer is left. */
    synchronized void close() {
        grants.values().forEach(grant -> grant.end.close());
        grants.clear();
    }

    /**
     * Reports the loss of a grant until the subscription is closed. A loss that has already
     * happened is reported at once.
     */
    Subscription onLoss(String token, Consumer<? super Loss> listener) {
        Loss loss;
        synchronized (this) {
            Known grant = grants.get(token);
            if (grant == null) {
                return () -> {};
            }
            grant.end.close();
            grant.listeners.add(listener);
            loss = grant.loss;
        }
        if (loss != null) {
            listener.accept(loss);
        }
        return () -> leave(token, listener);
    }

    private synchronized void leave(String token, Consumer<? super Loss> listener) {
        Known grant = grants.get(token);
        if (grant != null) {
            grant.listeners.remove(listener);
            if (grant.connection == null) {
                forget(token);
            } else {
                forgetLater(token);
            }
        }
    }

    /**
     * Whether a connection must be kept to learn of a restart: a listener is registered for a grant
     * that is not known to be lost.
     */
    synchronized boolean isWatched() {
        return !closed
                && grants.values().stream()
                        .anyMatch(
                                grant -> grant.incarnation != null && grant.loss == null && !grant.listeners.isEmpty());
    }
}
