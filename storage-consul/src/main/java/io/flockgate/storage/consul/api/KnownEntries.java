package io.flockgate.storage.consul.api;

import io.flockgate.consul.kv.KvEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The entries of an earlier response, used again in the next one where nothing has changed. So a
 * long list that is read again and again needs new memory only for what has changed. For one
 * response.
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

    /** The known entry that is the same as this one, or this one. Keys come in their order. */
    KvEntry share(KvEntry fresh) {
        while (next < entries.size() && entries.get(next).key().compareTo(fresh.key()) < 0) {
            next++;
        }
        if (next < entries.size() && isSame(entries.get(next), fresh)) {
            return entries.get(next++);
        }
        return fresh;
    }

    /** Compares everything: in a Consul that was restored, one index may stand for two values. */
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
