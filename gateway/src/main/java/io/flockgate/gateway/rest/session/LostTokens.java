package io.flockgate.gateway.rest.session;

import io.flockgate.gateway.session.LossRecipient;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The tokens of lost grants, kept until the clients that held them send a ping
 * (protocol-docs/rest-api.md, "Losses"). All sessions of a client share its tokens, so that a ping
 * of any of them reports the losses of all. Thread safe.
 */
final class LostTokens {
    /**
     * Maximum number of tokens kept for a client. Losses beyond that are reported by its renewals.
     */
    static final int MAX_TOKENS = 100;

    /** Maximum number of tokens kept for all clients together. */
    static final int MAX_IN_ALL = 10_000;

    private final Map<LossRecipient, Client> clients = new ConcurrentHashMap<>();
    private final AtomicInteger kept = new AtomicInteger();

    /** A client with at least one session. Changed only within an operation of the map. */
    private static final class Client {
        private final Deque<String> lost = new ArrayDeque<>();
        private int sessions;
    }

    /** Notes that a session of this client has begun. */
    void join(LossRecipient client) {
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
    void leave(LossRecipient client) {
        clients.computeIfPresent(client, (id, known) -> {
            if (--known.sessions > 0) {
                return known;
            }
            int unused = kept.addAndGet(-known.lost.size());
            return null;
        });
    }

    /** Keeps the token of a lost grant, if the client has a session. */
    void add(LossRecipient client, String token) {
        clients.computeIfPresent(client, (id, known) -> {
            if (known.lost.size() < MAX_TOKENS && kept.get() < MAX_IN_ALL) {
                known.lost.add(token);
                int unused = kept.incrementAndGet();
            }
            return known;
        });
    }

    /** Returns the tokens of the grants that the client has lost since the last call. */
    List<String> take(LossRecipient client) {
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
