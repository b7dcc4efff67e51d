package io.flockgate.storage.consul;

import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.format.ClusterRecord;
import io.flockgate.storage.consul.format.Flags;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import io.flockgate.storage.consul.kv.TxnOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes the record of the cluster. Every call blocks. Thread safe. */
final class RecordStore {
    private final ConsulApi api;
    private final String name;

    RecordStore(ConsulApi api, String base) {
        this.api = api;
        this.name = Names.record(base);
    }

    String name() {
        return name;
    }

    /**
     * Reads the entry of the record; null when there is none.
     *
     * @throws ConsulException when there is no answer in time
     */
    @Nullable
    KvEntry read() {
        return entryIn(api.list(name, Consistency.CONSISTENT).entries());
    }

    /** The entry of the record in a read of everything below the base; null when there is none. */
    @Nullable
    KvEntry entryIn(List<KvEntry> entries) {
        return entries.stream()
                .filter(each -> each.key().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * Writes the record if its entry has not changed. Returns the index of the write, or 0 when the
     * entry has changed.
     *
     * @param before the entry as it was read; null when there was none
     * @throws ConsulException when the result is not known
     */
    long replace(@Nullable KvEntry before, ClusterRecord record) {
        long index = before == null ? 0 : before.modifyIndex();
        KvOp write = new KvOp.Cas(name, Flags.NONE, record.toBytes(), index);
        return switch (api.txn(List.of(write))) {
            case TxnOutcome.Committed committed ->
                committed.results().getFirst().modifyIndex();
            case TxnOutcome.Conflict conflict -> 0;
            case TxnOutcome.NotDone failed -> throw failed.cause();
            case TxnOutcome.Unknown failed -> throw failed.cause();
        };
    }
}
