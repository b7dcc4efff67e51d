package io.flockgate.storage.memory;

import org.jspecify.annotations.Nullable;

/**
 * The list of the keys without holders and waiters, in the order of their last activity: keys
 * join at its end as they become idle. Guarded by its shard.
 */
final class IdleKeys {
    private @Nullable StoredKey first;
    private @Nullable StoredKey last;
    private int size;

    int size() {
        return size;
    }

    @Nullable
    StoredKey longestIdle() {
        return first;
    }

    /** Puts a key at the end, even if it is already listed. */
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
        size++;
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
        size--;
    }
}
