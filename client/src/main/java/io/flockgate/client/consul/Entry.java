package io.flockgate.client.consul;

import org.jspecify.annotations.Nullable;

/**
 * An entry of Consul's KV store.
 *
 * @param flags unsigned
 * @param session the session that holds the entry; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Entry(String key, byte[] value, long flags, @Nullable String session, long createIndex, long modifyIndex) {}
