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
 * Checks all grants once whenever a read shows a loss, or a snapshot may have been restored.
 * Otherwise grants without a blocking read would be trusted until their next renewals, and the
 * others until their reads end. Thread safe.
 */
final class KnownGrants {
    private final Parts parts;
    private final Executor executor;
    private final Map<LossWatch, Consumer<? super Loss>> grants = new ConcurrentHashMap<>();

    /** Whether a check is requested that has not begun. */
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

    /** Checks all grants soon. */
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
