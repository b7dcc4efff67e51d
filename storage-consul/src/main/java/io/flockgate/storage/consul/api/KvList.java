package io.flockgate.storage.consul.api;

import java.util.List;

/**
 * What a read of a prefix found.
 *
 * @param entries by key, in the order of bytes
 * @param index where the next blocking read goes on; at least 1
 * @param filtered whether Consul says that it left entries out which the token may not read. Before 1.11 it never says so,
 *     and a token with part of the rights gets a shorter list without a word
 */
public record KvList(List<KvEntry> entries, long index, boolean filtered) {
    public KvList {
        entries = List.copyOf(entries);
    }

    /** A list that nothing is known to be missing from. */
    public KvList(List<KvEntry> entries, long index) {
        this(entries, index, false);
    }

    /**
     * Whether it looks as what Consul gives to a token that may not read the prefix at all: nothing, with index 1. A cluster
     * whose store has never been written to gives the same.
     */
    public boolean looksUnreadable() {
        return filtered || (entries.isEmpty() && index == 1);
    }
}
