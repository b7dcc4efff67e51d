package io.flockgate.storage;

/**
 * One key at one moment. Durations are in nanoseconds and never negative.
 *
 * @param holders the number of held slots
 * @param waiters the number of queued claims
 * @param idleNanos the time since the last change or claim of the key, as far as this gateway knows
 * @param waitedNanos how long the first waiter has waited at least; 0 without waiters
 */
public record KeySummary(
        Key key,
        Kind kind,
        long limit,
        int holders,
        int waiters,
        OldestGrant oldest,
        long idleNanos,
        long waitedNanos) {
    /**
     * The oldest grant of a key.
     *
     * @param client unknown if the key is not held
     * @param heldNanos the age of the grant
     * @param exact whether that age is exact; otherwise it is a lower bound
     * @param leaseLeftNanos the remaining time of its lease
     */
    public record OldestGrant(ClientView client, long heldNanos, boolean exact, long leaseLeftNanos) {
        /** That of a key that is not held. */
        public static final OldestGrant NONE = new OldestGrant(ClientView.UNKNOWN, 0, true, 0);
    }

    /**
     * The claimant of the oldest grant; 0 if the key is not held, or the holder is a client of
     * another gateway.
     */
    public long ownerId() {
        return oldest.exact() ? oldest.client().id() : 0;
    }

    /** The age of the oldest grant; 0 if the key is not held. */
    public long heldNanos() {
        return oldest.heldNanos();
    }

    /** Whether the key has neither holders nor waiters. */
    public boolean idle() {
        return holders == 0 && waiters == 0;
    }
}
