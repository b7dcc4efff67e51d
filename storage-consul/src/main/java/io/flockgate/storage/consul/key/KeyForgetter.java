package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;

/**
 * Deletes one key from Consul once it has been unused for long enough. For the key's own thread
 * only.
 */
final class KeyForgetter {
    private final LocalKey key;
    private final EndedSlots ended;

    KeyForgetter(LocalKey key, EndedSlots ended) {
        this.key = key;
        this.ended = ended;
    }

    enum Forgetting {
        /** The key is deleted, or this gateway no longer needs it. */
        FORGOTTEN,
        USED_BY_OTHERS,
        /** The key changed before it could be deleted. */
        CHANGED
    }

    boolean isIdle() {
        return key.now() - key.lastUse() > key.settings.idle().toNanos();
    }

    /**
     * Deletes the key, unless other gateways use it.
     *
     * @throws ConsulException when the result is not known by the deadline
     */
    Forgetting forget(long deadline) {
        KeyView before = key.store.last();
        KeyView view = key.store.read(deadline);
        if (before != null && view.newestChange() > before.newestChange()) {
            return Forgetting.USED_BY_OTHERS;
        }
        if (view.endedSlots().stream().anyMatch(each -> ended.untilFree(view, each) > 0)) {
            return Forgetting.USED_BY_OTHERS;
        }
        if (KeyIndex.isLeftToOthers(view)) {
            return Forgetting.FORGOTTEN;
        }
        WriteOutcome outcome = key.store.write(key.transactions.forget(view), after -> !after.exists(), deadline);
        if (outcome instanceof WriteOutcome.Refused) {
            return Forgetting.CHANGED;
        }
        key.gateway.keyCount.gone(key.path);
        return Forgetting.FORGOTTEN;
    }
}
