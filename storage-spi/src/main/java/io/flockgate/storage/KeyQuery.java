package io.flockgate.storage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query for a page of keys.
 *
 * @param prefix the bytes with which the keys begin; empty for all
 * @param after the last key seen, or null to begin
 * @param limit the maximum number of keys, at least 1
 * @param clients the maximum number of holders, and that of waiters, that the page shows of each
 *     key; 0 for no details
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record KeyQuery(byte[] prefix, @Nullable Key after, int limit, KeyFilter filter, int clients) {
    public KeyQuery {
        if (limit < 1 || clients < 0) {
            throw new IllegalArgumentException("limit " + limit + ", clients " + clients);
        }
    }

    /** Keys of any kind, without details. */
    public KeyQuery(byte[] prefix, @Nullable Key after, int limit) {
        this(prefix, after, limit, KeyFilter.NONE, 0);
    }

    /** All keys, starting with the first. */
    public static KeyQuery all(int limit) {
        return new KeyQuery(new byte[0], null, limit);
    }

    /** The same query for the page after this key, with this maximum number of keys. */
    public KeyQuery from(@Nullable Key next, int most) {
        return new KeyQuery(prefix, next, most, filter, clients);
    }

    /**
     * A part of the list of keys. A page with fewer keys than requested, or none, is not
     * necessarily the last.
     *
     * @param keys the keys found, in the storage's order
     * @param details the oldest holders and the first waiters of the same keys, up to {@link
     *     KeyQuery#clients()} of each; empty if that is 0
     * @param next the {@link KeyQuery#after()} of the next page; null at the end
     */
    public record KeyPage(
            List<KeySummary> keys,
            List<KeyDetail> details,
            @Nullable Key next) {
        public KeyPage {
            keys = List.copyOf(keys);
            details = List.copyOf(details);
        }

        /** A page without details. */
        public KeyPage(List<KeySummary> keys, @Nullable Key next) {
            this(keys, List.of(), next);
        }
    }
}
