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
        byte[] prefix = query.bytes("prefix");
        byte[] limit = query.bytes("limit");
        return new PageQuery(
                prefix == null ? new byte[0] : prefix,
                query.bytes("after"),
                limit == null ? DEFAULT_LIMIT : limit(limit));
    }

    private static int limit(byte[] digits) {
        String text = new String(digits, ISO_8859_1);
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
