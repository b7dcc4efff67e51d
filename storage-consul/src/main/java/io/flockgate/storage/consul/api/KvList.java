package io.flockgate.storage.consul.api;

import java.util.List;

/**
 * What a read of a prefix found. Before 1.11 Consul never says that it left entries out: there a list without the right is as one
 * of keys that do not exist, index and all, and only a {@link KvOp.CheckIndex} of a key tells that the token may not read it.
 *
 * @param entries by key, in the order of bytes
 * @param index where the next blocking read goes on; at least 1
 */
public record KvList(List<KvEntry> entries, long index) {
    public KvList {
        entries = List.copyOf(entries);
    }
}
