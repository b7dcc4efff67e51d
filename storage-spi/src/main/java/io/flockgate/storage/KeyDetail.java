package io.flockgate.storage;

import java.util.List;

/**
 * One key with all its holders and its whole queue at one moment. Has no token.
 *
 * @param holders oldest grant first
 * @param waiters the queue in order, its head first
 */
public record KeyDetail(KeySummary summary, List<HolderView> holders, List<WaiterView> waiters) {
    public KeyDetail {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /** One holder. Durations are in nanoseconds. */
    public record HolderView(long claimantId, long fence, long heldNanos, long leaseLeftNanos) {}

    /** One waiter. Durations are in nanoseconds. */
    public record WaiterView(long claimantId, long waitedNanos) {}
}
