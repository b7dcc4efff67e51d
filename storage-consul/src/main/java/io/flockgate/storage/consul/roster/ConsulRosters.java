package io.flockgate.storage.consul.roster;

import io.flockgate.roster.RosterDocument;
import io.flockgate.roster.RosterStore;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key for each group, whose value is its document. All gateways on one Consul act as one. The
 * process keeps nothing that must survive.
 */
final class ConsulRosters implements RosterStore {
    /**
     * The maximum size of a document. A transaction may have 512 kB, and base64 adds a third to a
     * document.
     */
    static final int MAX_BYTES = (512 * 1024 - 8 * 1024) / 4 * 3;

    private final ConsulApi api;
    private final String base;
    private final Environment environment;

    ConsulRosters(ConsulApi api, String base, Environment environment) {
        this.api = api;
        this.base = base;
        this.environment = environment;
    }

    @Override
    public Map<String, RosterDocument> readAll() {
        String beginning = Names.rosters(base);
        try {
            Map<String, RosterDocument> found = new HashMap<>();
            for (KvEntry entry : api.list(beginning, Consistency.CONSISTENT).entries()) {
                byte[] name = Names.unescape(entry.key().substring(beginning.length()));
                if (name != null && entry.flags() == Flags.ROSTER) {
                    found.put(new String(name, StandardCharsets.UTF_8), ours(entry));
                }
            }
            if (found.isEmpty()) {
                confirmAbsent(beginning);
            }
            return found;
        } catch (ConsulException e) {
            throw failure(Effect.NOT_DONE, e.getMessage(), e);
        }
    }

    /** Reads a document that a majority of servers confirms. */
    @Override
    public Stored read(String group) {
        String key = Names.roster(base, group);
        try {
            for (KvEntry entry : api.list(key, Consistency.CONSISTENT).entries()) {
                if (entry.key().equals(key)) {
                    return new Stored(ours(entry), entry.modifyIndex());
                }
            }
            confirmAbsent(key);
            return Stored.NONE;
        } catch (ConsulException e) {
            throw failure(Effect.NOT_DONE, e.getMessage(), e);
        }
    }

    /**
     * Distinguishes a missing document from a missing right to read, without which documents seem
     * not to exist. Consul then denies this operation; otherwise its condition fails.
     */
    private void confirmAbsent(String key) {
        TxnOutcome.Committed unused =
                api.txn(List.of(new KvOp.CheckIndex(key, 1))).committed();
    }

    private static RosterDocument ours(KvEntry entry) {
        if (entry.flags() != Flags.ROSTER) {
            throw failure(
                    Effect.NOT_DONE,
                    "the key " + entry.key()
                            + " in Consul has other flags than a roster: another program wrote it, and it is left alone",
                    null);
        }
        RosterDocument document = RosterDocument.parse(entry.value());
        if (document == null) {
            throw failure(
                    Effect.NOT_DONE,
                    "the key " + entry.key() + " in Consul is no roster of version " + RosterDocument.VERSION
                            + ": it is left alone until an operator repairs or deletes it",
                    null);
        }
        return document;
    }

    @Override
    public boolean write(String group, RosterDocument document, long version) {
        byte[] bytes = document.toBytes();
        if (bytes.length > MAX_BYTES) {
            throw failure(Effect.NOT_DONE, "the roster is as large as Consul takes", null);
        }
        return switch (api.txn(List.of(new KvOp.Cas(Names.roster(base, group), Flags.ROSTER, bytes, version)))) {
            case TxnOutcome.Committed done -> true;
            case TxnOutcome.Conflict conflict -> false;
            case TxnOutcome.NotDone failed ->
                throw failure(Effect.NOT_DONE, failed.cause().getMessage(), failed.cause());
            case TxnOutcome.Unknown failed ->
                throw failure(Effect.UNKNOWN, failed.cause().getMessage(), failed.cause());
        };
    }

    private static StorageException failure(Effect effect, @Nullable String message, @Nullable Throwable cause) {
        return new StorageException(FailureKind.UNAVAILABLE, effect, String.valueOf(message), cause);
    }

    @Override
    public void close() {
        api.close();
        environment.close();
    }

    @Override
    public String toString() {
        return "Consul";
    }
}
