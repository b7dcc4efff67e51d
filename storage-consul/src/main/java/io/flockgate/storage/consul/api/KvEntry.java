package io.flockgate.storage.consul.api;

import org.jspecify.annotations.Nullable;

/**
 * One key as Consul keeps it.
 *
 * @param flags unsigned
 * @param value empty where Consul says null, and in what a transaction returns for an operation that wrote
 * @param session the session that holds the key; null when none does
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KvEntry(
        String key,
        long flags,
        byte[] value,
        @Nullable String session,
        long lockIndex,
        long createIndex,
        long modifyIndex) {}
