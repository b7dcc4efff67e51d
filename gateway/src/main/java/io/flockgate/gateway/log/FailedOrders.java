package io.flockgate.gateway.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the failed orders of a second, and decides which of them have their own audit lines.
 * Thread safe.
 */
final class FailedOrders {
    /** Maximum number of orders of a client in a second that have their own lines. */
    static final int MAX_OF_CLIENT = 20;

    /** The same for all clients together, because an attacker may have many addresses. */
    static final int MAX_OF_ALL = 100;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    @GuardedBy("this")
    private long second = Long.MIN_VALUE;

    /** The number of lines that each client has had in this second. */
    @GuardedBy("this")
    private final Map<String, Integer> ofClients = new HashMap<>();

    @GuardedBy("this")
    private int ofAll;

    /** What becomes of an order's line. */
    enum Line {
        OWN,
        /** The client has used up its lines. */
        MERGED_WITH_CLIENT,
        /** All clients together have used up their lines. */
        MERGED_WITH_ALL
    }

    /**
     * Counts one more order. Only a client that has used up its lines gets a merged line of its
     * own, so at most five do in a second.
     *
     * @param nanos monotonic
     */
    synchronized Line add(String client, long nanos) {
        long now = Math.floorDiv(nanos, NANOS_PER_SECOND);
        if (now > second) {
            second = now;
            ofAll = 0;
            ofClients.clear();
        }
        int own = ofClients.getOrDefault(client, 0);
        if (own == MAX_OF_CLIENT) {
            return Line.MERGED_WITH_CLIENT;
        }
        if (ofAll == MAX_OF_ALL) {
            return Line.MERGED_WITH_ALL;
        }
        ofClients.put(client, own + 1);
        ofAll++;
        return Line.OWN;
    }
}
