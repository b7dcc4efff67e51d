package io.flockgate.storage.consul.format;

import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvOp;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a key after a transaction, by their full names. Consul returns the new indexes of
 * the written entries, but neither values nor holders. Pure.
 */
final class WrittenEntries {
    private WrittenEntries() {}

    /**
     * @param returned the entries that Consul has returned for the transaction
     */
    static Map<String, KvEntry> after(
            Map<String, KvEntry> before, List<KvOp> operations, Map<String, KvEntry> returned) {
        Map<String, KvEntry> entries = new LinkedHashMap<>(before);
        for (KvOp operation : operations) {
            apply(operation, entries, returned);
        }
        return entries;
    }

    private static void apply(KvOp operation, Map<String, KvEntry> entries, Map<String, KvEntry> returned) {
        if (operation instanceof KvOp.DeleteCas deleted) {
            entries.remove(deleted.key());
        } else if (operation instanceof KvOp.Write write) {
            written(write, entries, returned.get(write.key()));
        }
    }

    private static void written(KvOp.Write write, Map<String, KvEntry> entries, @Nullable KvEntry result) {
        if (result == null) {
            return;
        }
        String key = write.key();
        KvEntry before = entries.get(key);
        String holder = before == null ? null : before.session();
        if (write instanceof KvOp.Lock lock) {
            holder = lock.session();
        } else if (write instanceof KvOp.Unlock) {
            holder = null;
        }
        entries.put(
                key,
                new KvEntry(key, write.flags(), write.value(), holder, result.createIndex(), result.modifyIndex()));
    }
}
