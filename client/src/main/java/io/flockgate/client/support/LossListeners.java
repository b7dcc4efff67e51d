package io.flockgate.client.support;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.Loss;
import io.flockgate.client.LostReason;
import io.flockgate.client.Subscription;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The listeners for grants that a server takes away from this client, keyed by token. The loss may
 * be reported on any connection or in any answer. Thread safe.
 */
public final class LossListeners {
    private final Map<String, Consumer<? super Loss>> listeners = new ConcurrentHashMap<>();
    private final String id;

    /** Starts without listeners. */
    public LossListeners(LeaseEnvironment environment) {
        this.id = HexFormat.of().toHexDigits(environment.random().nextLong())
                + HexFormat.of().toHexDigits(environment.random().nextLong());
    }

    /** The id of this client for its servers, the same on all its connections. */
    public String id() {
        return id;
    }

    /** Reports the loss of a grant until the subscription is closed. */
    public Subscription onLoss(String token, Consumer<? super Loss> listener) {
        listeners.put(token, listener);
        return () -> listeners.remove(token, listener);
    }

    /** Whether any listener is registered. */
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** Called when a server has reported that this grant is no longer held. */
    public void lost(String token) {
        Consumer<? super Loss> listener = listeners.remove(token);
        if (listener != null) {
            listener.accept(
                    Loss.of(LostReason.REVOKED, "an operator has released the grant, or the server has given it up"));
        }
    }
}
