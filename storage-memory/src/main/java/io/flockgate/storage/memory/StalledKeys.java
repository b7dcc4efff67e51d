package io.flockgate.storage.memory;

import io.flockgate.storage.rules.KeyStateListener;
import io.flockgate.storage.rules.TokenGenerator;
import java.util.ArrayDeque;

/** The keys with a free slot whose waiters could not be granted. Guarded by its shard. */
final class StalledKeys {
    private final ArrayDeque<StoredKey> keys = new ArrayDeque<>();

    void add(StoredKey key) {
        if (!key.stalled) {
            key.stalled = true;
            keys.add(key);
        }
    }

    /** Grants what can be granted now. The listener adds the remaining keys again. */
    void retry(long now, TokenGenerator tokens, KeyStateListener listener) {
        for (int n = keys.size(); n > 0; n--) {
            StoredKey key = keys.remove();
            key.stalled = false;
            key.promote(now, tokens, listener);
        }
    }
}
