package io.flockgate.storage;

import java.util.List;

/**
 * One key with a page of its holders and the beginning of its queue at one moment. Has no token.
 *
 * @param summary counts all holders and waiters
 * @param holders in the order of their fences, oldest grant first
 * @param moreHolders whether there are holders with greater fences than those of this page
 * @param waiters the first waiters of the queue, its head first
 */
public record KeyDetail(KeySummary summary, List<HolderView> holders, boolean moreHolders, List<WaiterView> waiters) {
    public KeyDetail {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /** One holder. Durations are in nanoseconds. */
    public record HolderView(long claimantId, long fence, long heldNanos, long leaseLeftNanos) {}

    /** One waiter. Durations are in nanoseconds. */
    public record WaiterView(long claimantId, long waitedNanos) {}
}
