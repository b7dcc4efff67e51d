package io.flockgate.gateway.rest;

import io.flockgate.gateway.rights.Rights;
import io.flockgate.storage.Key;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** The right that each route needs (docs/guide/rights.md). */
final class RouteRights {
    private RouteRights() {}

    /**
     * Whether these rights allow the request. A path without a valid key passes, to be answered as
     * malformed.
     */
    static boolean allow(Rights rights, Routing.Found found) {
        return switch (found.route()) {
            case HEALTH, READY, OPENAPI -> true;
            case METRICS -> rights.mayReadMetrics();
            case STATS, LIST_KEYS, LIST_DEADLOCKS, LIST_GATEWAYS, EVENTS -> rights.mayReadSomething();
            case GET_KEY -> onKey(rights, found, Rights::mayRead);
            case CREATE_SESSION -> rights.mayLockSomething();
            // A session belongs to the token that began it. That is checked when the session is found.
            case DELETE_SESSION, PING_SESSION -> true;
            case ACQUIRE_LOCK,
                    RELEASE_LOCK,
                    RENEW_LOCK,
                    ENQUEUE_LOCK,
                    WAIT_LOCK,
                    ACQUIRE_SEM,
                    RELEASE_SEM,
                    RENEW_SEM,
                    ENQUEUE_SEM,
                    WAIT_SEM -> onKey(rights, found, Rights::mayLock);
            case EVICT_HOLDER,
                    REMOVE_WAITER,
                    DRAIN,
                    UNDRAIN,
                    LIST_GROUPS,
                    GET_GROUP,
                    REMOVE_HOLDER,
                    PAUSE_GROUP,
                    RESUME_GROUP -> rights.mayOperate();
        };
    }

    private static boolean onKey(Rights rights, Routing.Found found, BiPredicate<Rights, Key> may) {
        if (rights.equals(Rights.ALL)) {
            return true;
        }
        byte[] segment = found.segment();
        @Nullable Key key = Key.copyOf(segment, 0, segment.length);
        return key == null || may.test(rights, key);
    }
}
