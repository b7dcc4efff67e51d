package io.flockgate.storage.consul.kv;

import java.util.List;

/**
 * The entries below a prefix, as a read returned them. Consul before 1.11 does not report that it
 * left entries out: if the token may not read a key, the list is the same as if the key did not
 * exist. Only a check in a transaction reveals the difference.
 *
 * @param entries sorted by key, in the order of bytes
 * @param index the index for the next blocking read; at least 1
 */
public record KvList(List<KvEntry> entries, long index) {
    public KvList {
        entries = List.copyOf(entries);
    }
}
