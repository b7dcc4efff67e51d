package io.flockgate.storage.memory;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.rules.KeyState;
import org.jspecify.annotations.Nullable;

/** A key with its links in the shard's table and list of idle keys. Guarded by its shard. */
final class StoredKey extends KeyState {
    /** The next key in the same bucket, in {@link Key#compareByHash} order. */
    @Nullable
    StoredKey nextInBucket;

    /**
     * Neighbours in the list of idle keys, which begins with the key that has been idle longest.
     */
    @Nullable
    StoredKey idleBefore;

    @Nullable
    StoredKey idleAfter;

    boolean listedIdle;

    /**
     * Whether the shard lists this key for another attempt to promote a waiter, because the last
     * grant could not be made.
     */
    boolean stalled;

    StoredKey(Key key, Kind kind, long limit, long now) {
        super(key, kind, limit, now);
    }
}
