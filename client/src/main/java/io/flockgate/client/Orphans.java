package io.flockgate.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The slots that the server may still hold for one lease, although the lease does not use them:
 * releases that are not confirmed, grants whose time passed here, claims without an answer. As long
 * as there is one, a no from the server may mean the lease itself, and is not a certain no. Safe
 * from any thread.
 */
final class Orphans {
    /** Compared by identity. */
    private static final class Orphan {
        private final Moment end;

        Orphan(Moment end) {
            this.end = end;
        }
    }

    private final Set<Orphan> orphans = ConcurrentHashMap.newKeySet();

    /**
     * Adds a slot that the server ends by this moment. Closing the subscription says that it is
     * free.
     */
    Subscription add(Moment end) {
        Orphan orphan = new Orphan(end);
        orphans.add(orphan);
        return () -> orphans.remove(orphan);
    }

    /** True if the server may hold one at this moment. */
    boolean any(Moment now) {
        orphans.removeIf(orphan -> !now.since(orphan.end).isNegative());
        return !orphans.isEmpty();
    }
}
