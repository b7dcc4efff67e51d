package io.flockgate.storage.consul.api;

import java.util.List;

/**
 * What a read of a prefix found.
 *
 * @param entries by key, in the order of bytes
 * @param index where the next blocking read goes on; at least 1
 */
public record KvList(List<KvEntry> entries, long index) {
    public KvList {
        entries = List.copyOf(entries);
    }
}
