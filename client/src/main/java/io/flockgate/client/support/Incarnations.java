package io.flockgate.client.support;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the grants that a server has lost with its process. A server identifies the set of its
 * grants by an id, its incarnation.
 *
 * <ol>
 *   <li>Each connection or session passes on the incarnation in the server's answer, with the times
 *       of the request and of the answer.
 *   <li>If an answer names a different incarnation from the last one, and was requested after that
 *       one had arrived, the server has changed in between. All grants of other incarnations are
 *       lost.
 *   <li>Answers whose times overlap prove no order, and change nothing.
 *   <li>A grant is known from its answer on, so that a loss before {@link #onLoss} is reported as
 *       well. It is forgotten when its listener is removed, or if none is added during its time.
 * </ol>
 *
 * Thread safe.
 */
public final class Incarnations {
    private static final Loss LOSS = Loss.of(
            LostReason.SERVER_RESTARTED,
            "the server has restarted without its grants, so others may hold the slot already");
    private static final Duration LONGEST = Duration.ofDays(1);

    private final LeaseEnvironment environment;

    /** Keyed by token. Guarded by this, like the fields below. */
    private final Map<String, Known> grants = new HashMap<>();

    private @Nullable String current;
    private @Nullable String former;
    private long answeredNanos;

    /** A grant. Guarded by the enclosing object. */
    private static final class Known {
        private final String incarnation;
        private final List<Consumer<? super Loss>> listeners = new ArrayList<>(1);
        private Subscription end = () -> {};
        private boolean lost;

        Known(String incarnation) {
            this.incarnation = incarnation;
        }
    }

    /** Starts without an answer from any server. */
    public Incarnations(LeaseEnvironment environment) {
        this.environment = environment;
    }

    /** The incarnation in a server's answer; null if the text cannot be one. */
    public static @Nullable String valid(@Nullable String text) {
        return text != null && text.matches("[0-9A-Za-z_-]{1,64}") ? text : null;
    }

    /**
     * Called when a server has reported its incarnation. Calls the listeners of grants that are
     * thereby lost.
     *
     * @param incarnation null if the server reports none
     */
    public void seen(@Nullable String incarnation, long askedNanos, long nowNanos) {
        if (incarnation != null) {
            change(incarnation, askedNanos, nowNanos).forEach(listener -> listener.accept(LOSS));
        }
    }

    private synchronized List<Consumer<? super Loss>> change(String incarnation, long askedNanos, long nowNanos) {
        String last = current;
        if (last == null || last.equals(incarnation)) {
            current = incarnation;
            answeredNanos = nowNanos;
        } else if (askedNanos - answeredNanos > 0) {
            former = last;
            current = incarnation;
            answeredNanos = nowNanos;
            return lose(incarnation);
        }
        return List.of();
    }

    private List<Consumer<? super Loss>> lose(String kept) {
        List<Consumer<? super Loss>> told = new ArrayList<>();
        for (Known grant : grants.values()) {
            if (!grant.lost && !grant.incarnation.equals(kept)) {
                grant.lost = true;
                told.addAll(grant.listeners);
            }
        }
        return told;
    }

    /**
     * A grant was made.
     *
     * @param incarnation that of the server that made it; null if the server reports none
     */
    public void granted(String token, @Nullable String incarnation, Duration ttl) {
        if (incarnation == null) {
            return;
        }
        Known grant = new Known(incarnation);
        synchronized (this) {
            grant.lost = incarnation.equals(former);
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

    /**
     * Reports the loss of a grant until the subscription is closed. A loss that has already
     * happened is reported at once.
     */
    public Subscription onLoss(String token, Consumer<? super Loss> listener) {
        boolean lost;
        synchronized (this) {
            Known grant = grants.get(token);
            if (grant == null) {
                return () -> {};
            }
            grant.end.close();
            grant.listeners.add(listener);
            lost = grant.lost;
        }
        if (lost) {
            listener.accept(LOSS);
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

    /** Whether a listener is registered for a grant that is not known to be lost. */
    public synchronized boolean isWatched() {
        return grants.values().stream().anyMatch(grant -> !grant.lost && !grant.listeners.isEmpty());
    }
}
