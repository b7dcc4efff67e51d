package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.LossRecipient;
import io.flockgate.storage.Grant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Notifies clients of their lost grants, over every open connection of the same client (line
 * protocol, "losses"), because a client may close the connection on which it received a grant.
 * Thread safe.
 */
final class LossNotifier {
    /**
     * Maximum number of connections that one loss is reported on. Otherwise many connections with
     * one id would multiply each loss.
     */
    static final int MAX_CONNECTIONS = 16;

    private final Map<LossRecipient, Set<Consumer<Grant>>> listeners = new ConcurrentHashMap<>();

    /**
     * @param listener called on any thread
     */
    void join(LossRecipient client, Consumer<Grant> listener) {
        listeners.compute(client, (same, known) -> {
            Set<Consumer<Grant>> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(listener);
            return all;
        });
    }

    void leave(LossRecipient client, Consumer<Grant> listener) {
        listeners.computeIfPresent(client, (same, known) -> {
            known.remove(listener);
            return known.isEmpty() ? null : known;
        });
    }

    /** Watches a session, to notify its client of lost grants if the client wants that. */
    void watch(LockSession session) {
        LossRecipient client = LossRecipient.of(session);
        if (client != null) {
            session.whenGrantLost(grant -> lost(client, grant));
        }
    }

    /** Notifies a client of a lost grant. */
    void lost(LossRecipient client, Grant grant) {
        listeners.getOrDefault(client, Set.of()).stream()
                .limit(MAX_CONNECTIONS)
                .forEach(listener -> listener.accept(grant));
    }
}
