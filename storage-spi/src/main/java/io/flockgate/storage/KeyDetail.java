package io.flockgate.storage;

import java.util.List;

/**
 * One key with a page of its holders and the beginning of its queue at one moment. Contains no
 * token.
 *
 * @param summary counts all holders and waiters
 * @param holders in the order of their fences, oldest grant first
 * @param moreHolders whether there are holders with greater fences than those of this page
 * @param waiters the first waiters of the queue, its head first
 * @param waits of the first {@value WaitCounts#MAX_WAITERS} waiters; {@link WaitCounts#NONE} if the
 *     query does not request them
 */
public record KeyDetail(
        KeySummary summary, List<HolderView> holders, boolean moreHolders, List<WaiterView> waiters, WaitCounts waits) {
    public KeyDetail {
        holders = List.copyOf(holders);
        waiters = List.copyOf(waiters);
    }

    /**
     * One holder. Durations are in nanoseconds.
     *
     * @param leaseLeftNanos the remaining time of the lease; if the age is a lower bound, this is
     *     an upper bound
     */
    public record HolderView(ClientView client, long fence, Age held, long leaseLeftNanos) {
        public long heldNanos() {
            return held.nanos();
        }
    }

    /**
     * One waiter.
     *
     * @param id identifies this place in the queue while it lasts, at every gateway, and never
     *     another place of this key: at most {@value #MAX_ID_LENGTH} printable ASCII characters
     *     without spaces and slashes
     */
    public record WaiterView(ClientView client, String id, Age waited) {
        public static final int MAX_ID_LENGTH = 128;

        public long waitedNanos() {
            return waited.nanos();
        }
    }

    /**
     * A query for one key with a page of its holders and the beginning of its queue.
     *
     * @param afterFence the fence of the last holder seen, or 0 to begin; only holders with greater
     *     fences are listed
     * @param limit the maximum number of holders, and that of waiters, at least 1
     * @param counted whether the waits of all waiters are counted, which walks the queue
     */
    public record KeyDetailQuery(Key key, long afterFence, int limit, boolean counted) {
        public KeyDetailQuery {
            if (limit < 1) {
                throw new IllegalArgumentException("limit " + limit);
            }
        }

        /** A query that counts no waits. */
        public KeyDetailQuery(Key key, long afterFence, int limit) {
            this(key, afterFence, limit, false);
        }

        /** The key with its oldest holders. */
        public static KeyDetailQuery first(Key key, int limit) {
            return new KeyDetailQuery(key, 0, limit);
        }
    }
}
