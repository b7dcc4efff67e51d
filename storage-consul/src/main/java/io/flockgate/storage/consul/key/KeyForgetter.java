package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyType;
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
    private final KeyIndex keyIndex;
    private final Transactions transactions;
    private final GatewaySettings settings;

    KeyForgetter(
            Environment environment,
            KeyStore store,
            EndedSlots ended,
            KeyIndex keyIndex,
            Transactions transactions,
            GatewaySettings settings) {
        this.environment = environment;
        this.store = store;
        this.ended = ended;
        this.keyIndex = keyIndex;
        this.transactions = transactions;
        this.settings = settings;
    }

    enum Forgetting {
        /** The key is deleted, or this gateway does not need it any more. */
        FORGOTTEN,
        USED_BY_OTHERS,
        /** The key changed before it could be deleted. */
        CHANGED
    }

    boolean isIdle(long lastActivity) {
        return environment.now() - lastActivity > settings.idle().toNanos();
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
        if (isLeftToOthers(view)) {
            return Forgetting.FORGOTTEN;
        }
        WriteOutcome outcome = store.write(transactions.forget(view), after -> !after.exists(), deadline);
        if (outcome instanceof WriteOutcome.Refused) {
            return Forgetting.CHANGED;
        }
        keyIndex.gone(store.path());
        return Forgetting.FORGOTTEN;
    }

    /**
     * Whether the key is not to be deleted: others use it, or it is not of this gateway's making.
     */
    static boolean isLeftToOthers(KeyView view) {
        // Also by holders and waiters of a kind that this gateway does not know.
        boolean used = view.isUsedBySessions();
        boolean foreign = view.path().mapped()
                || view.type().filter(KeyType.Foreign.class::isInstance).isPresent();
        return used || foreign || !view.exists();
    }
}
