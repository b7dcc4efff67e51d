package io.flockgate.gateway.rest;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request for a page of keys, or for a page of the holders of one key. Other
 * parameters are ignored.
 *
 * @param prefix the bytes that keys begin with
 * @param after the cursor; null for the first page
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PageQuery(byte[] prefix, byte @Nullable [] after, int limit) {
    private static final int DEFAULT_LIMIT = 100;
    static final int MAX_LIMIT = 1000;

    static PageQuery parse(@Nullable String query) {
        return of(Parameters.parse(query));
    }

    static PageQuery of(Parameters parameters) {
        byte[] prefix = parameters.value("prefix");
        byte[] limit = parameters.value("limit");
        return new PageQuery(
                prefix == null ? new byte[0] : prefix,
                parameters.value("after"),
                limit == null ? DEFAULT_LIMIT : limit(limit));
    }

    private static int limit(byte[] digits) {
        String text = new String(digits, StandardCharsets.ISO_8859_1);
        int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new FaultException("limit must be between 1 and " + MAX_LIMIT);
        }
        return limit;
    }

    /**
     * @throws FaultException if the cursor is not one of
     *     keys
     */
    KeyQuery forKeys(KeyFilter filter) {
        Key last = after == null ? null : Cursor.read(after);
        if (after != null && last == null) {
            throw unknownCursor();
        }
        return new KeyQuery(prefix, last, limit, filter, 0);
    }

    /**
     * @throws FaultException if the cursor is not one of
     *     holders
     */
    KeyDetailQuery forKey(Key key) {
        long last = after == null ? 0 : Cursor.readFence(after).orElseThrow(PageQuery::unknownCursor);
        return new KeyDetailQuery(key, last, limit);
    }

    private static FaultException unknownCursor() {
        return new FaultException("after must be the next of a page");
    }
}
