package io.flockgate.storage;

/**
 * One key as it stood at one moment. Durations are in nanoseconds and never negative.
 *
 * @param holders how many slots are held
 * @param waiters how many claims are queued
 * @param ownerId the claimant of the oldest grant; 0 when nobody holds the key, or one that is not of this gateway
 * @param leaseLeftNanos what is left of the oldest grant's lease; 0 when nobody holds the key
 * @param heldNanos how long the oldest grant has been held; 0 when nobody holds the key
 * @param idleNanos the time since anything happened to the key
 */
public record KeySummary(
        Key key,
        Kind kind,
        long limit,
        int holders,
        int waiters,
        long ownerId,
        long leaseLeftNanos,
        long heldNanos,
        long idleNanos) {
    /** Nobody holds the key and nobody waits for it. */
    public boolean idle() {
        return holders == 0 && waiters == 0;
    }
}
