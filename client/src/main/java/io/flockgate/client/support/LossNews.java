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
 * The listeners for the grants that a server takes from this client, by their tokens. Any
 * connection or answer brings the news. Thread safe.
 */
public final class LossNews {
    private final Map<String, Consumer<? super Loss>> listeners = new ConcurrentHashMap<>();
    private final String id;

    /** A client without grants. */
    public LossNews(LeaseEnvironment environment) {
        this.id = HexFormat.of().toHexDigits(environment.random().nextLong())
                + HexFormat.of().toHexDigits(environment.random().nextLong());
    }

    /** The id of this client for its servers, the same over all its connections. */
    public String id() {
        return id;
    }

    /** Reports the loss of a grant until the subscription is closed. */
    public Subscription onLoss(String token, Consumer<? super Loss> listener) {
        listeners.put(token, listener);
        return () -> listeners.remove(token, listener);
    }

    /** Whether a listener waits for the loss of a grant. */
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    /** A server has said that this grant is not held any more. */
    public void lost(String token) {
        Consumer<? super Loss> listener = listeners.remove(token);
        if (listener != null) {
            listener.accept(
                    Loss.of(LostReason.REVOKED, "an operator has set the slot free, or the server has given it up"));
        }
    }
}
