package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.Effect;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.util.List;

/**
 * Distinguishes a deleted key from a key that the token may not read, or could not read at the
 * time, because Consul returns an empty list in all these cases. For the key's own thread only.
 */
final class EmptyReads {
    private static final String NEVER_WRITTEN = ".rights";

    private final ConsulApi api;
    private final KeyPath path;
    private boolean hadEntries;

    EmptyReads(ConsulApi api, KeyPath path) {
        this.api = api;
        this.path = path;
    }

    /** Records that this gateway has seen or written entries of the key. */
    void seen() {
        hadEntries = true;
    }

    /**
     * Reads the key again if it is empty and had entries before. One transaction reads and requires
     * the right to read, because the right may have been restored since the first read. It costs no
     * entry in Consul's log.
     *
     * @return the view of the second read, or the given one
     * @throws ConsulException when the token may not read the key, or Consul does not answer
     */
    KeyView checked(KeyView view) {
        if (view.newestChange() == 0 && hadEntries) {
            KeyView again = readAgain(view);
            hadEntries = again.newestChange() != 0;
            return again;
        }
        hadEntries |= view.newestChange() != 0;
        return view;
    }

    private KeyView readAgain(KeyView view) {
        List<KvOp> operations =
                List.of(new KvOp.CheckNotExists(path.root() + NEVER_WRITTEN), new KvOp.GetTree(path.root()));
        return switch (api.txn(operations)) {
            case TxnOutcome.Committed committed -> view.after(operations, committed.results());
            case TxnOutcome.Conflict conflict ->
                throw new ConsulException(
                        FailureKind.INVALID, Effect.NOT_DONE, path.root() + NEVER_WRITTEN + " exists in Consul");
            case TxnOutcome.NotDone refused -> throw refused.cause();
            case TxnOutcome.Unknown unknown -> throw unknown.cause();
        };
    }
}
