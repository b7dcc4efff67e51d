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
 * Reads the parameters of a request for a page of keys, or for a page of the holders of one key.
 * Other parameters are ignored. A cursor is the last key of a page, or the fence of its last
 * holder, in letters that need no percent-encoding.
 */
final class PageQuery {
    private static final int DEFAULT_LIMIT = 100;
    static final int MAX_LIMIT = 1000;

    private PageQuery() {}

    /**
     * @throws FaultException if the cursor is not one of keys
     */
    static KeyQuery ofKeys(Query given, KeyFilter filter) {
        Key last = readKey(given.bytes("after"));
        if (given.has("after") && last == null) {
            throw unknownCursor();
        }
        return new KeyQuery(given.bytes("prefix"), last, limit(given), filter, 0);
    }

    /**
     * With the waits counted.
     *
     * @throws FaultException if the cursor is not one of holders
     */
    static KeyDetailQuery ofKey(Query given, Key key) {
        long last = given.has("after") ? readFence(given.bytes("after")).orElseThrow(PageQuery::unknownCursor) : 0;
        return new KeyDetailQuery(key, last, limit(given), true);
    }

    private static int limit(Query given) {
        return (int) given.number("limit", 1, MAX_LIMIT, DEFAULT_LIMIT);
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
