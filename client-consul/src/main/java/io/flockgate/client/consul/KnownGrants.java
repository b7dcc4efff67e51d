package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.Loss;
import io.flockgate.client.Subscription;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Looks at all grants once each time that a read shows a loss, or that a snapshot may have been
 * restored. Otherwise those without a blocking read would be believed in until their next renewals,
 * and the others until their reads end. Thread safe.
 */
final class KnownGrants {
    private final Parts parts;
    private final Executor executor;
    private final Map<LossWatch, Consumer<? super Loss>> grants = new ConcurrentHashMap<>();

    /** Whether a look is asked for that has not begun. */
    private final AtomicBoolean asked = new AtomicBoolean();

    KnownGrants(Parts parts, Executor executor) {
        this.parts = parts;
        this.executor = executor;
    }

    /** Adds a grant until the subscription is closed. */
    Subscription add(GrantRequest grant, Consumer<? super Loss> listener) {
        LossWatch watch = new LossWatch(parts, grant, new CompletableFuture<>(), () -> {});
        grants.put(watch, listener);
        return () -> {
            boolean unused = grants.remove(watch, listener);
        };
    }

    /** Looks at all grants soon. */
    void look() {
        if (grants.isEmpty() || !asked.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::lookNow);
        } catch (RejectedExecutionException closing) {
            asked.set(false);
        }
    }

    private void lookNow() {
        asked.set(false);
        grants.forEach((watch, listener) -> {
            if (watch.look(listener)) {
                boolean unused = grants.remove(watch, listener);
            }
        });
    }

    /** Forgets all grants. */
    void close() {
        grants.clear();
    }
}
