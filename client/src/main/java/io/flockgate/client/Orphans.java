package io.flockgate.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The slots that the server may still hold for one lease, although the lease does not use them:
 * unconfirmed releases, grants that expired in this process, and claims without an answer. While
 * there is one, a negative answer from the server may refer to the lease itself, and is not
 * certain. Safe from any thread.
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
     * Adds a slot that the server ends by this moment. Closing the subscription marks it as free.
     */
    Subscription add(Moment end) {
        Orphan orphan = new Orphan(end);
        orphans.add(orphan);
        return () -> orphans.remove(orphan);
    }

    /** True if the server may still hold such a slot at this moment. */
    boolean any(Moment now) {
        orphans.removeIf(orphan -> !now.since(orphan.end).isNegative());
        return !orphans.isEmpty();
    }
}
