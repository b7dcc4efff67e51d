package io.flockgate.storage.memory;

import org.jspecify.annotations.Nullable;

/**
 * The keys that nobody holds or waits for, the longest idle first. Keys are listed as they become idle, so the list is
 * in the order of their last activity. Guarded by its shard.
 */
final class IdleKeys {
    private @Nullable StoredKey first;
    private @Nullable StoredKey last;

    @Nullable
    StoredKey longestIdle() {
        return first;
    }

    /** Lists a key as the one that became idle last, wherever it stood. */
    void list(StoredKey key) {
        unlist(key);
        key.listedIdle = true;
        key.idleBefore = last;
        if (last == null) {
            first = key;
        } else {
            last.idleAfter = key;
        }
        last = key;
    }

    /** Does nothing when the key is not listed. */
    void unlist(StoredKey key) {
        if (!key.listedIdle) {
            return;
        }
        StoredKey before = key.idleBefore;
        StoredKey after = key.idleAfter;
        if (before == null) {
            first = after;
        } else {
            before.idleAfter = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.idleBefore = before;
        }
        key.idleBefore = null;
        key.idleAfter = null;
        key.listedIdle = false;
    }
}
