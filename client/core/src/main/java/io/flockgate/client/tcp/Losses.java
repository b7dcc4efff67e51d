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
 * Reports the detached grants that a server takes away from this client, or has lost with its
 * process. A server identifies the set of its grants by an id, its incarnation.
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
 * </ol>
 *
 * Thread safe. Listeners are called without a lock.
 */
final class Losses {
    private static final Loss RESTARTED = Loss.of(
            LostReason.SERVER_RESTARTED,
            "the server has restarted without its grants, so others may hold the slot already");
    private static final Loss REVOKED =
            Loss.of(LostReason.REVOKED, "an operator has released the grant, or the server has given it up");
    private static final Duration LONGEST = Duration.ofDays(1);

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

        private final List<Consumer<? super Loss>> listeners = new ArrayList<>(1);
        private Subscription end = () -> {};
        private @Nullable Loss loss;

        Known(@Nullable String incarnation) {
            this.incarnation = incarnation;
        }
    }

    /** Starts without grants, and without an answer from any server. */
    Losses(LeaseEnvironment environment) {
        this.environment = environment;
        this.id = HexFormat.of().toHexDigits(environment.random().nextLong())
                + HexFormat.of().toHexDigits(environment.random().nextLong());
    }

    /** The id of this client for its servers, the same on all its connections. */
    String id() {
        return id;
    }

    /** The incarnation in a server's answer; null if the text cannot be one. */
    static @Nullable String valid(@Nullable String text) {
        return text != null && text.matches("[0-9A-Za-z_-]{1,64}") ? text : null;
    }

    /**
     * Called when a server has reported its incarnation.
     *
     * @param incarnation null if the server reports none
     */
    void seen(@Nullable String incarnation, long askedNanos, long nowNanos) {
        if (incarnation != null) {
            change(incarnation, askedNanos, nowNanos).forEach(listener -> listener.accept(RESTARTED));
        }
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
                    .forEach(grant -> told.addAll(lose(grant, RESTARTED)));
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
        List<Consumer<? super Loss>> told;
        synchronized (this) {
            told = lose(grants.get(token), REVOKED);
        }
        told.forEach(listener -> listener.accept(REVOKED));
    }

    /**
     * A grant was made.
     *
     * @param incarnation that of the server that made it; null if the server reports none
     */
    void granted(String token, @Nullable String incarnation, Duration ttl) {
        Known grant = new Known(incarnation);
        synchronized (this) {
            if (closed) {
                return;
            }
            grant.loss = incarnation != null && incarnation.equals(former) ? RESTARTED : null;
            grants.put(token, grant);
            Duration time = ttl.compareTo(LONGEST) < 0 ? ttl : LONGEST;
            grant.end = environment.scheduler().after(time, () -> forget(token));
        }
    }

    private synchronized void forget(String token) {
        Known grant = grants.get(token);
        if (grant != null && grant.listeners.isEmpty()) {
            grant.end.close();
            grants.remove(token);
        }
    }

    /** Forgets all grants, so that no timer is left. */
    synchronized void close() {
        closed = true;
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
            forget(token);
        }
    }

    /**
     * Whether a connection must be kept to learn of a restart: a listener is registered for a grant
     * that is not known to be lost.
     */
    synchronized boolean isWatched() {
        return grants.values().stream()
                .anyMatch(grant -> grant.incarnation != null && grant.loss == null && !grant.listeners.isEmpty());
    }
}
