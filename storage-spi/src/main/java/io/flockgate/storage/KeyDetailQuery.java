package io.flockgate.storage;

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

    /** The same query, with the waits counted. */
    public KeyDetailQuery withWaits() {
        return new KeyDetailQuery(key, afterFence, limit, true);
    }

    /** The key with its oldest holders. */
    public static KeyDetailQuery first(Key key, int limit) {
        return new KeyDetailQuery(key, 0, limit);
    }
}
