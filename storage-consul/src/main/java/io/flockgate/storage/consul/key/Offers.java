package io.flockgate.storage.consul.key;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The grants that other gateways may make to the waiters of this one, on one key. For the key's own thread only. */
final class Offers {
    /** Each of a semaphore's takes a session; those further behind come to the head without. */
    private static final int MOST = 16;

    private final Node node;

    /** Of semaphores only: a lock's holder is the gateway's own session always. */
    private final Set<String> sessions = new HashSet<>();

    Offers(Node node) {
        this.node = node;
    }

    /**
     * An offer; null when there is none to make: for a lease that others would look after, whose end might come before the
     * news of it.
     */
    @Nullable
    Candidate make(@Nullable KeyView view, Claim claim, Claimant claimant) {
        if (!node.settings().isLong(claim.leaseSeconds())
                || node.fences().trouble().isPresent()) {
            return null;
        }
        try {
            if (claim.kind() == Kind.LOCK) {
                return Candidate.of(
                        claim,
                        claimant,
                        node.sessions().own(),
                        node.settings(),
                        node.environment().random());
            }
            if (view == null || sessions.size() >= MOST) {
                return null;
            }
            String session = node.sessions().takeHolder(id -> isFree(view, id));
            sessions.add(session);
            return Candidate.of(
                    claim,
                    claimant,
                    session,
                    node.settings(),
                    node.environment().random());
        } catch (ConsulException e) {
            return null;
        }
    }

    /** Whether a session holds no slot of this key, is not about to, and is not offered for one. */
    boolean isFree(KeyView view, String session) {
        var document = view.document();
        return !sessions.contains(session)
                && view.entry(view.path().contender(session)) == null
                && (document == null || !document.holders().contains(session));
    }

    /** It has become a grant. */
    void taken(Candidate offer) {
        sessions.remove(offer.session());
    }

    /** It is offered no more. */
    void withdrawn(@Nullable Candidate offer) {
        if (offer != null) {
            sessions.remove(offer.session());
            node.sessions().giveBackHolder(offer.session());
        }
    }
}
