package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.layout.KeyPaths;
import java.util.List;

/**
 * Checks that the ACL token may read and write the keys. Without the right to read, a list is empty, and all holders seem dead. The
 * check is a transaction that Consul cannot carry out, because it requires the index of a key that does not exist. Consul checks
 * the rights before.
 */
final class AclCheck implements Runnable {
    private final ConsulApi api;
    private final KeyPaths paths;

    AclCheck(ConsulApi api, KeyPaths paths) {
        this.api = api;
        this.paths = paths;
    }

    /**
     * Checks the base, and each mapped prefix.
     *
     * @throws ConsulException when a right is missing, or Consul does not answer
     */
    @Override
    public void run() {
        String probe = paths.base() + ".rights";
        ask(probe, probe);
        paths.mapped().forEach(key -> ask(probe, paths.of(key).sequence()));
    }

    private void ask(String absent, String key) {
        KvOp write = new KvOp.Set(key, 0, new byte[0]);
        switch (api.txn(List.of(new KvOp.CheckIndex(absent, 1), write))) {
            case TxnOutcome.Committed committed -> {}
            case TxnOutcome.Conflict conflict -> {}
            case TxnOutcome.NotDone failed ->
                throw failed.cause()
                        .withRight("key_prefix \"" + paths.base()
                                + "\" { policy = \"write\" }, and the same for each mapped prefix");
            case TxnOutcome.Unknown failed -> throw failed.cause();
        }
    }
}
