package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * A query for a page of keys.
 *
 * @param prefix the bytes that the keys begin with; empty for all
 * @param after the last key seen, or null to begin
 * @param limit the maximum number of keys, from 1 on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KeyQuery(byte[] prefix, @Nullable Key after, int limit) {
    public KeyQuery {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit);
        }
    }

    /** All keys, from the first on. */
    public static KeyQuery all(int limit) {
        return new KeyQuery(new byte[0], null, limit);
    }
}
