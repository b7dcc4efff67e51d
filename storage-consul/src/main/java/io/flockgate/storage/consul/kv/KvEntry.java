package io.flockgate.storage.consul.kv;

import org.jspecify.annotations.Nullable;

/**
 * An entry of Consul's KV store.
 *
 * @param flags unsigned
 * @param value empty for Consul's null, and in the result of an operation that wrote
 * @param session the session that holds the entry; null when none does
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KvEntry(
        String key, long flags, byte[] value, @Nullable String session, long createIndex, long modifyIndex) {}
