package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import java.util.Base64;
import java.util.HexFormat;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request for a page of keys, or for a page of the holders of one key. Other
 * parameters are ignored. A cursor is the last key of a page, or the fence of its last holder, in
 * letters that need no percent-encoding.
 *
 * @param prefix the bytes that keys begin with
 * @param after the cursor; null for the first page
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PageQuery(byte[] prefix, byte @Nullable [] after, int limit) {
    private static final int DEFAULT_LIMIT = 100;
    static final int MAX_LIMIT = 1000;

    static PageQuery of(Query query) {
        return new PageQuery(query.bytes("prefix"), query.has("after") ? query.bytes("after") : null, (int)
                query.number("limit", 1, MAX_LIMIT, DEFAULT_LIMIT));
    }

    /**
     * @throws FaultException if the cursor is not one of
     *     keys
     */
    KeyQuery forKeys(KeyFilter filter) {
        Key last = after == null ? null : readKey(after);
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
        long last = after == null ? 0 : readFence(after).orElseThrow(PageQuery::unknownCursor);
        return new KeyDetailQuery(key, last, limit);
    }

    private static FaultException unknownCursor() {
        return new FaultException("after must be the next of a page");
    }

    static String cursor(Key last) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(last.toBytes());
    }

    /** The last key that was listed; null if this is not the text of a cursor. */
    static @Nullable Key readKey(byte[] text) {
        try {
            byte[] key = Base64.getUrlDecoder().decode(text);
            return Key.copyOf(key, 0, key.length);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    static String cursor(long lastFence) {
        return HexFormat.of().toHexDigits(lastFence);
    }

    /** The fence of the last holder that was shown; empty if this is not the text of a cursor. */
    static OptionalLong readFence(byte[] text) {
        String digits = new String(text, ISO_8859_1);
        return digits.matches("[0-9a-f]{16}")
                ? OptionalLong.of(HexFormat.fromHexDigitsToLong(digits))
                : OptionalLong.empty();
    }
}
