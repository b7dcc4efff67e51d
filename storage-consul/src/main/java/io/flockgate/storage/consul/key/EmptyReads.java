package io.flockgate.storage.consul.key;

import io.flockgate.consul.format.KeyPath;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.storage.consul.api.ConsulApi;
import java.util.List;

/**
 * Tells a key that has been deleted from a key that the token may not read. Consul answers both with an empty list. For the key's own
 * thread only.
 */
final class EmptyReads {
    private final ConsulApi api;
    private final KeyPath path;
    private boolean hadEntries;

    EmptyReads(ConsulApi api, KeyPath path) {
        this.api = api;
        this.path = path;
    }

    /** This gateway has seen or written entries of the key. */
    void seen() {
        hadEntries = true;
    }

    /**
     * Checks the right to read if the key had entries before. The check is a transaction without a write. It costs Consul no entry in its
     * log.
     *
     * @throws ConsulException when the token may not read the key, or Consul does not answer
     */
    void requireRight() {
        if (!hadEntries) {
            return;
        }
        switch (api.txn(List.of(new KvOp.CheckIndex(path.lock(), 1)))) {
            case TxnOutcome.Committed committed -> {}
            case TxnOutcome.Conflict conflict -> {}
            case TxnOutcome.NotDone refused -> throw refused.cause();
            case TxnOutcome.Unknown unknown -> throw unknown.cause();
        }
        hadEntries = false;
    }
}
