package io.flockgate.storage;

/**
 * One key at one moment. Durations are in nanoseconds and never negative.
 *
 * @param holders the number of held slots
 * @param waiters the number of queued claims
 * @param leaseLeftNanos the remaining time of the oldest grant's lease; 0 if the key is not held
 * @param heldNanos the age of the oldest grant; 0 if the key is not held
 * @param heldExact whether heldNanos is exact; otherwise it is a lower bound
 * @param holder the client of the oldest grant; unknown if the key is not held
 * @param idleNanos the time since the last change or claim of the key, as far as this gateway knows
 * @param waitedNanos how long the first waiter has waited at least; 0 without waiters
 */
public record KeySummary(
        Key key,
        Kind kind,
        long limit,
        int holders,
        int waiters,
        long leaseLeftNanos,
        long heldNanos,
        boolean heldExact,
        ClientView holder,
        long idleNanos,
        long waitedNanos) {
    /**
     * A key whose oldest grant, if any, was timed by this process. Nothing is known about its
     * client but the number, and nothing about waits.
     */
    public KeySummary(
            Key key,
            Kind kind,
            long limit,
            int holders,
            int waiters,
            long ownerId,
            long leaseLeftNanos,
            long heldNanos,
            long idleNanos) {
        this(
                key,
                kind,
                limit,
                holders,
                waiters,
                leaseLeftNanos,
                heldNanos,
                true,
                new ClientView(ownerId, ClientDescription.UNKNOWN, null, ""),
                idleNanos,
                0);
    }

    /**
     * The claimant of the oldest grant; 0 if the key is not held, or the holder is a client of
     * another gateway.
     */
    public long ownerId() {
        return heldExact ? holder.id() : 0;
    }

    /** Whether the key has neither holders nor waiters. */
    public boolean idle() {
        return holders == 0 && waiters == 0;
    }
}
