package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.KvEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The entries of an earlier response, reused in the next one where nothing has changed, so that a
 * long list that is read repeatedly needs new memory only for changes. For one response.
 */
final class KnownEntries {
    private final List<KvEntry> entries;
    private int next;

    /**
     * @param entries sorted by key
     */
    KnownEntries(List<KvEntry> entries) {
        this.entries = entries;
    }

    /**
     * The known entry that equals this one, otherwise this one. Must be called in the order of
     * keys.
     */
    KvEntry share(KvEntry fresh) {
        while (next < entries.size() && entries.get(next).key().compareTo(fresh.key()) < 0) {
            next++;
        }
        if (next < entries.size() && isSame(entries.get(next), fresh)) {
            return entries.get(next++);
        }
        return fresh;
    }

    /** Compares everything, because in a restored Consul one index may stand for two values. */
    private static boolean isSame(KvEntry known, KvEntry fresh) {
        return known.modifyIndex() == fresh.modifyIndex()
                && known.createIndex() == fresh.createIndex()
                && known.lockIndex() == fresh.lockIndex()
                && known.flags() == fresh.flags()
                && known.key().equals(fresh.key())
                && Objects.equals(known.session(), fresh.session())
                && Arrays.equals(known.value(), fresh.value());
    }
}
