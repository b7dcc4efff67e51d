package io.flockgate.storage;

import io.flockgate.storage.KeyDetail.HolderView;
import org.jspecify.annotations.Nullable;

/**
 * One key at one moment. Durations are in nanoseconds and never negative.
 *
 * @param holders the number of held slots
 * @param waiters the number of queued claims
 * @param oldest the holder with the oldest grant; null if the key is not held
 * @param idleNanos the time since the last change or claim of the key, as far as this gateway knows
 * @param waitedNanos how long the first waiter has waited at least; 0 without waiters
 */
public record KeySummary(
        Key key,
        Kind kind,
        long limit,
        int holders,
        int waiters,
        @Nullable HolderView oldest,
        long idleNanos,
        long waitedNanos) {
    /**
     * The claimant of the oldest grant; 0 if the key is not held, or the holder is a client of
     * another gateway.
     */
    public long ownerId() {
        return oldest != null && oldest.held().exact() ? oldest.client().id() : 0;
    }

    /** The age of the oldest grant; 0 if the key is not held. */
    public long heldNanos() {
        return oldest == null ? 0 : oldest.heldNanos();
    }

    /** The remaining time of the lease of the oldest grant; 0 if the key is not held. */
    public long leaseLeftNanos() {
        return oldest == null ? 0 : oldest.leaseLeftNanos();
    }

    /** Whether the key has neither holders nor waiters. */
    public boolean idle() {
        return holders == 0 && waiters == 0;
    }
}
