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

    boolean isIdle() {
        return key.now() - key.lastUse() > key.settings.idle().toNanos();
    }

    /**
     * Deletes the key, unless other gateways use it.
     *
     * @return whether this gateway no longer needs the key; false if it was used or changed before
     *     it could be deleted
     * @throws ConsulException when the result is not known by the deadline
     */
    boolean forget(long deadline) {
        KeyView before = key.store.last();
        KeyView view = key.store.read(deadline);
        boolean changed = before != null && view.newestChange() > before.newestChange();
        if (changed || view.endedSlots().stream().anyMatch(each -> ended.untilFree(view, each) > 0)) {
            key.touch();
            return false;
        }
        if (KeyIndex.isLeftToOthers(view)) {
            return true;
        }
        WriteOutcome outcome = key.store.write(key.transactions.forget(view), after -> !after.exists(), deadline);
        if (outcome instanceof WriteOutcome.Refused) {
            return false;
        }
        key.gateway.keyCount.gone(key.path);
        return true;
    }
}
