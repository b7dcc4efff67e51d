package io.flockgate.gateway.session;

import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;

/**
 * A listener for single grants with their clients. Implementations must be thread safe, must not
 * block and must not throw.
 */
public interface GrantListener {
    /** A session as listeners see it. */
    interface WatchedSession extends Claimant {
        /** The name of the client's token; empty where no token is configured. */
        String principal();
    }

    /** The listener that ignores every grant. */
    GrantListener NONE = new GrantListener() {
        @Override
        public void granted(WatchedSession session, Grant grant) {}

        @Override
        public void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending) {}
    };

    /** A client has received a grant. */
    void granted(WatchedSession session, Grant grant);

    /** A client's grant has ended after it was held for this long. On any thread. */
    void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending);
}
