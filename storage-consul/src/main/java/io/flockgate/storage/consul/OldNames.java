package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.ConsulException.Effect;
import io.flockgate.storage.consul.api.ConsulException.FailureKind;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.layout.NameForm;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries below names of the older form, after a gateway has adopted the newer one. While a session holds one of them, no gateway
 * may grant: the same key would be free under its new name. Every call blocks.
 */
final class OldNames {
    private static final int MAX_OPERATIONS = 64;

    private final ConsulApi api;
    private final String base;

    OldNames(ConsulApi api, String base) {
        this.api = api;
        this.base = base;
    }

    /**
     * Whether any key stands under a name of the older form.
     *
     * @throws ConsulException when there is no answer in time
     */
    boolean exist() {
        return api.names(base, "/").stream().anyMatch(name -> pathOf(name) != null);
    }

    private @Nullable KeyPath pathOf(String name) {
        return KeyPaths.pathIn(NameForm.TILDE, base, name);
    }

    /**
     * Deletes what gateways have left under old names.
     *
     * @throws ConsulException while a session holds something there, or when Consul does not answer
     */
    void clear() {
        List<KvOp> operations = new ArrayList<>();
        for (KvEntry entry : api.list(base, Consistency.CONSISTENT).entries()) {
            KeyPath path = pathOf(entry.key());
            if (path != null && entry.session() != null) {
                throw unavailable(entry.key() + " is still held by the session " + entry.session());
            }
            if (path != null && path.isOfGateways(entry)) {
                operations.add(new KvOp.DeleteCas(entry.key(), entry.modifyIndex()));
            }
        }
        for (int from = 0; from < operations.size(); from += MAX_OPERATIONS) {
            delete(operations.subList(from, Math.min(from + MAX_OPERATIONS, operations.size())));
        }
    }

    private void delete(List<KvOp> operations) {
        switch (api.txn(operations)) {
            case TxnOutcome.Committed committed -> {}
            case TxnOutcome.Conflict conflict -> throw unavailable("somebody still changes entries there");
            case TxnOutcome.NotDone failed -> throw failed.cause();
            case TxnOutcome.Unknown failed -> throw failed.cause();
        }
    }

    private static ConsulException unavailable(String reason) {
        return new ConsulException(
                FailureKind.UNAVAILABLE,
                Effect.NOT_DONE,
                "keys have new names, and this gateway waits until nobody holds one under its old name: " + reason);
    }
}
