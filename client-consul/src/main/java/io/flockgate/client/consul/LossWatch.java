package io.flockgate.client.consul;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Slot;
import io.flockgate.consul.kv.ConsulException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the slot of one grant, and reports its loss. For one thread.
 *
 * <ol>
 *   <li>Read everything below the key's prefix, and again after each change.
 *   <li>If the slot no longer belongs to the grant, another client has freed it. If it has no
 *       session, its session has ended.
 *   <li>Other losses may follow the first, as after a restored snapshot, so {@link KnownGrants}
 *       checks all grants.
 *   <li>While Consul does not answer, try again every second. The grant's own deadline decides
 *       then.
 * </ol>
 */
final class LossWatch {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Minimum time between reads of a key that changes constantly. */
    private static final Duration LEAST_INTERVAL = Duration.ofMillis(100);

    private final Parts parts;
    private final GrantRequest grant;
    private final CompletableFuture<?> stop;
    private final Runnable suspicion;

    /**
     * A watch that has not begun.
     *
     * @param suspicion called when other grants may also be lost
     */
    LossWatch(Parts parts, GrantRequest grant, CompletableFuture<?> stop, Runnable suspicion) {
        this.parts = parts;
        this.grant = grant;
        this.stop = stop;
        this.suspicion = suspicion;
    }

    /** Watches until the grant is lost, which is reported, or the watch is stopped. */
    void run(Consumer<? super Loss> listener) {
        KeyView last = null;
        while (!stop.isDone()) {
            try {
                last = read(last);
                if (report(last, listener)) {
                    return;
                }
                Pauses.sleep(LEAST_INTERVAL, stop);
            } catch (ConsulException unanswered) {
                last = null;
                Pauses.sleep(PAUSE, stop);
            }
        }
    }

    /** Reads the slot once. Returns true if the grant is lost, which is then reported. */
    boolean look(Consumer<? super Loss> listener) {
        try {
            return report(read(null), listener);
        } catch (ConsulException unanswered) {
            return false;
        }
    }

    private boolean report(KeyView view, Consumer<? super Loss> listener) {
        Loss loss = lossIn(view);
        if (loss == null || stop.isDone()) {
            return false;
        }
        listener.accept(loss);
        suspicion.run();
        parts.recheckRecord(parts.nanos() + PATIENCE.toNanos());
        return true;
    }

    private KeyView read(@Nullable KeyView last) {
        KeyView next = last == null ? null : parts.await(last, false, Long.MAX_VALUE, LONGEST_WAIT.toNanos(), stop);
        return next != null ? next : parts.read(parts.records().path(grant.name()), parts.nanos() + PATIENCE.toNanos());
    }

    private @Nullable Loss lossIn(KeyView view) {
        Token token = Token.parse(grant.token());
        Layout layout = parts.records().layout(parts.nanos() + PATIENCE.toNanos());
        Slot slot = token == null ? null : Grants.find(view, token, layout).orElse(null);
        if (slot == null) {
            return Loss.of(LostReason.REVOKED, "the slot was freed in Consul");
        }
        return slot.hasEnded() ? Loss.of(LostReason.SESSION_GONE, "the grant's session in Consul has ended") : null;
    }
}
