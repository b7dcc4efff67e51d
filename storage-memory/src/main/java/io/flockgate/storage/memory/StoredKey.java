package io.flockgate.storage.memory;

import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.rules.KeyState;
import org.jspecify.annotations.Nullable;

/** A key with its links in the shard's table and list of idle keys. Guarded by its shard. */
final class StoredKey extends KeyState {
    /** The next key of the same bucket, in {@link Key#compareByHash} order. */
    @Nullable
    StoredKey nextInBucket;

    /** Neighbours among the idle keys, the longest idle first. */
    @Nullable
    StoredKey idleBefore;

    @Nullable
    StoredKey idleAfter;

    boolean listedIdle;

    /** The shard lists this key for another promotion, because no fence could be issued. */
    boolean stalled;

    StoredKey(Key key, Kind kind, long limit, long now) {
        super(key, kind, limit, now);
    }
}
