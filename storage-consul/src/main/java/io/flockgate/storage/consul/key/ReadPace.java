package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.TicketMark;

/**
 * The pace of the reads of all keys. Consul and the gateway need about ten milliseconds for a
 * thousand entries, so with more entries the reads are less frequent. A waiter without its own
 * watch sees a free slot by the next read, and its ticket states how long that may take. The pace
 * keeps to what the tickets state. Thread safe.
 */
final class ReadPace {
    private static final long MIN_PAUSE_MILLIS = 1_000;
    private static final long SHORT_PAUSE_MILLIS = 100;

    /**
     * Less than the shortest TTL of sessions, because gateways wait for one TTL until all others
     * have read a new record.
     */
    private static final long MAX_PAUSE_MILLIS = 6_000;

    private static final int ENTRIES_PER_MILLI = 5;

    private volatile long usualMillis = MIN_PAUSE_MILLIS;
    private volatile long pauseMillis = MIN_PAUSE_MILLIS;

    /**
     * Records a read.
     *
     * @param isShort whether waiters without a watch depend on the next one
     * @param leastAct the shortest time that a ticket states; {@code Long.MAX_VALUE} without one
     */
    void read(int entries, boolean isShort, long leastAct) {
        long wanted = Math.min(entries / ENTRIES_PER_MILLI, MAX_PAUSE_MILLIS);
        usualMillis = Math.max(wanted, MIN_PAUSE_MILLIS);
        long pause = Math.max(wanted, isShort ? SHORT_PAUSE_MILLIS : MIN_PAUSE_MILLIS);
        pauseMillis = Math.min(pause, TicketMark.pauseMillisFor(leastAct));
    }

    /** The milliseconds until the next read. */
    long pauseMillis() {
        return pauseMillis;
    }

    /** The milliseconds within which a waiter acts on a free slot even without its own watch. */
    long actMillis() {
        return TicketMark.actMillisFor(usualMillis);
    }
}
