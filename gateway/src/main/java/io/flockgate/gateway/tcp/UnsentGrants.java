package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.storage.Grant;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * The grants of a detached connection whose replies the operating system has not accepted yet. If
 * the connection ends first, its session releases them, because no client knows their tokens. Empty
 * for other connections. On one event loop only.
 */
final class UnsentGrants {
    private final LockSession session;
    private List<Grant> gathered = new ArrayList<>(0);

    UnsentGrants(LockSession session) {
        this.session = session;
    }

    /** Notes a grant whose reply has been added to the next write. */
    void note(Outcome outcome) {
        if (!session.client().detached()) {
            return;
        }
        if (outcome instanceof Granted granted) {
            note(granted.grant());
        } else if (outcome instanceof Acquired acquired) {
            note(acquired.grant());
        }
    }

    private void note(Grant grant) {
        session.delivering(grant);
        gathered.add(grant);
    }

    /** Assigns all noted grants to this write, which it returns. */
    Future<Void> in(Future<Void> write) {
        if (gathered.isEmpty()) {
            return write;
        }
        List<Grant> sent = gathered;
        gathered = new ArrayList<>(0);
        return write.onSuccess(ignored -> sent.forEach(session::delivered));
    }
}
