package io.flockgate.storage.consul.api;

import java.util.List;

/**
 * What a read of a prefix found.
 *
 * @param entries by key, in the order of bytes
 * @param index where the next blocking read goes on; at least 1
 * @param filtered whether Consul says that it left entries out which the token may not read. Before 1.11 it never says so:
 *     there a list without the right is as one of keys that do not exist, index and all, and only a {@link KvOp.CheckIndex}
 *     of a key tells that the token may not read it
 */
public record KvList(List<KvEntry> entries, long index, boolean filtered) {
    public KvList {
        entries = List.copyOf(entries);
    }

    /** A list that nothing is known to be missing from. */
    public KvList(List<KvEntry> entries, long index) {
        this(entries, index, false);
    }
}
