package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.storage.consul.environment.Environment;

/**
 * Deletes one key from Consul when nobody has used it for long enough. For the key's own thread
 * only.
 */
final class KeyForgetter {
    private final Environment environment;
    private final KeyStore store;
    private final EndedSlots ended;
    private final KeyCount keyCount;
    private final Transactions transactions;
    private final GatewaySettings settings;
    private final Activity activity;

    KeyForgetter(KeyContext context, EndedSlots ended) {
        this.environment = context.environment;
        this.store = context.store;
        this.ended = ended;
        this.keyCount = context.shared.keyCount;
        this.transactions = context.transactions;
        this.settings = context.settings;
        this.activity = context.activity;
    }

    enum Forgetting {
        /** The key is deleted, or this gateway does not need it any more. */
        FORGOTTEN,
        USED_BY_OTHERS,
        /** The key changed before it could be deleted. */
        CHANGED
    }

    boolean isIdle() {
        return environment.now() - activity.last() > settings.idle().toNanos();
    }

    /**
     * Deletes the key, unless others use it.
     *
     * @throws ConsulException when the result is not known by the deadline
     */
    Forgetting forget(long deadline) {
        KeyView before = store.last();
        KeyView view = store.read(deadline);
        if (before != null && view.newestChange() > before.newestChange()) {
            return Forgetting.USED_BY_OTHERS;
        }
        if (view.endedSlots().stream().anyMatch(each -> ended.untilFree(view, each) > 0)) {
            return Forgetting.USED_BY_OTHERS;
        }
        if (KeyIndex.isLeftToOthers(view)) {
            return Forgetting.FORGOTTEN;
        }
        WriteOutcome outcome = store.write(transactions.forget(view), after -> !after.exists(), deadline);
        if (outcome instanceof WriteOutcome.Refused) {
            return Forgetting.CHANGED;
        }
        keyCount.gone(store.path());
        return Forgetting.FORGOTTEN;
    }
}
