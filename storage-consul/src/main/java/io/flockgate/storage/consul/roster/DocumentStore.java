package io.flockgate.storage.consul.roster;

import io.flockgate.consul.format.Flags;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvList;
import io.flockgate.consul.kv.KvOp;
import io.flockgate.consul.kv.TxnOutcome;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import java.util.List;

/** Reads and writes the documents of rosters in Consul. Every call blocks. Thread safe. */
final class DocumentStore {
    /**
     * The maximum size of a document. A transaction may have 512 kB, and base64 adds a third to a
     * document.
     */
    static final int MAX_BYTES = (512 * 1024 - 8 * 1024) / 4 * 3;

    private final ConsulApi api;
    private final ConsulProbe probe;

    DocumentStore(ConsulApi api, ConsulProbe probe) {
        this.api = api;
        this.probe = probe;
    }

    /**
     * A document as it was read.
     *
     * @param index the index that a write requires; 0 if there is no document
     */
    record Found(RosterDocument document, long index) {}

    /** The key has a value that no gateway wrote. The message is for the operator. */
    static final class ForeignDocumentException extends Exception {
        private static final long serialVersionUID = 1L;

        ForeignDocumentException(String message) {
            super(message);
        }
    }

    /**
     * Reads a document that a majority of servers confirms.
     *
     * @throws ConsulException if it cannot be read
     */
    Found read(String key) throws ForeignDocumentException {
        try {
            KvList list = api.list(key, Consistency.CONSISTENT);
            KvEntry entry = list.entries().stream()
                    .filter(each -> each.key().equals(key))
                    .findFirst()
                    .orElse(null);
            if (entry != null) {
                probe.good();
                return new Found(ours(entry), entry.modifyIndex());
            }
            confirmAbsent(key);
            probe.good();
            return new Found(RosterDocument.NONE, 0);
        } catch (ConsulException e) {
            probe.failed(e);
            throw e;
        }
    }

    /**
     * Distinguishes a missing document from a missing right to read, without which a document seems
     * not to exist. Consul then denies this operation; otherwise its condition fails.
     */
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
                    + " in Consul has other flags than a roster: another program wrote it, and it is left alone");
        }
        RosterDocument document = RosterDocument.parse(entry.value());
        if (document == null) {
            throw new ForeignDocumentException("the key " + entry.key() + " in Consul is no roster of version "
                    + RosterDocument.VERSION + ": it is left alone until an operator repairs or deletes it");
        }
        return document;
    }

    /** Writes a document on condition that it still has this index. */
    TxnOutcome write(String key, byte[] document, long index) {
        TxnOutcome outcome = api.txn(List.of(new KvOp.Cas(key, Flags.ROSTER, document, index)));
        switch (outcome) {
            case TxnOutcome.Committed done -> probe.good();
            case TxnOutcome.Conflict conflict -> probe.good();
            case TxnOutcome.NotDone failed -> probe.failed(failed.cause());
            case TxnOutcome.Unknown failed -> probe.failed(failed.cause());
        }
        return outcome;
    }
}
