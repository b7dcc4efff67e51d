package io.flockgate.storage.consul.api;

import java.util.List;

/**
 * The entries below a prefix, as a read returned them. Before 1.11, Consul never says that it left entries out: without the
 * right, a list looks like one of keys that do not exist. Only a {@link KvOp.CheckIndex} of a key shows that the token may not
 * read it.
 *
 * @param entries by key, in the order of bytes
 * @param index where the next blocking read goes on; at least 1
 */
public record KvList(List<KvEntry> entries, long index) {
    public KvList {
        entries = List.copyOf(entries);
    }
}
