package io.flockgate.storage.consul.roster;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulException;
import io.flockgate.storage.consul.api.KvEntry;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.api.KvOp;
import io.flockgate.storage.consul.api.TxnOutcome;
import io.flockgate.storage.consul.layout.Flags;
import java.util.List;

/** The documents in Consul. Every call blocks. Thread safe. */
final class DocumentStore {
    private final ConsulApi api;
    private final Reach reach;

    DocumentStore(ConsulApi api, Reach reach) {
        this.api = api;
        this.reach = reach;
    }

    /**
     * What stands in Consul.
     *
     * @param index by which it is written; 0 where there is nothing
     */
    record Found(RosterDocument document, long index) {}

    /** What stands there is not ours. Its message is for the operator. */
    static final class ForeignDocumentException extends Exception {
        private static final long serialVersionUID = 1L;

        ForeignDocumentException(String message) {
            super(message);
        }
    }

    /**
     * Reads a document, confirmed by a majority.
     *
     * @throws ConsulException when that was not possible
     */
    Found read(String key) throws ForeignDocumentException {
        try {
            KvList list = api.list(key, Consistency.CONSISTENT);
            KvEntry entry = list.entries().stream()
                    .filter(each -> each.key().equals(key))
                    .findFirst()
                    .orElse(null);
            if (entry != null) {
                reach.good();
                return new Found(ours(entry), entry.modifyIndex());
            }
            confirmAbsent(key);
            reach.good();
            return new Found(RosterDocument.NONE, 0);
        } catch (ConsulException e) {
            reach.failed(e);
            throw e;
        }
    }

    /** Without the right to read, a document looks as if it were not there. This operation is denied then, and fails otherwise. */
    private void confirmAbsent(String key) {
        switch (api.txn(List.of(new KvOp.CheckIndex(key, 1)))) {
            case TxnOutcome.Committed present -> {}
            case TxnOutcome.Conflict allowed -> {}
            case TxnOutcome.NotDone failed -> throw failed.cause();
            case TxnOutcome.Unknown failed -> throw failed.cause();
        }
    }

    private static RosterDocument ours(KvEntry entry) throws ForeignDocumentException {
        if (entry.flags() != Flags.ROSTER) {
            throw new ForeignDocumentException("the key " + entry.key()
                    + " in Consul has other flags than a roster: it is not ours and is left alone");
        }
        RosterDocument document = RosterDocument.parse(entry.value());
        if (document == null) {
            throw new ForeignDocumentException("the key " + entry.key() + " in Consul is no roster of version "
                    + RosterDocument.VERSION + ": it is left alone until somebody repairs or deletes it");
        }
        return document;
    }

    /** Writes a document if it still has this index. */
    TxnOutcome write(String key, byte[] document, long index) {
        TxnOutcome outcome = api.txn(List.of(new KvOp.Cas(key, Flags.ROSTER, document, index)));
        switch (outcome) {
            case TxnOutcome.Committed done -> reach.good();
            case TxnOutcome.Conflict conflict -> reach.good();
            case TxnOutcome.NotDone failed -> reach.failed(failed.cause());
            case TxnOutcome.Unknown failed -> reach.failed(failed.cause());
        }
        return outcome;
    }
}
