package io.flockgate.gateway.http;

import io.flockgate.gateway.stats.JsonText;
import io.flockgate.gateway.stats.Utf8;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import java.nio.charset.StandardCharsets;

/** A page of the list of keys, in JSON. */
final class KeysJson {
    private KeysJson() {}

    static byte[] page(KeyPage page) {
        StringBuilder text = new StringBuilder("{\"keys\":[");
        boolean first = true;
        for (KeySummary key : page.keys()) {
            append(first ? text : text.append(','), key);
            first = false;
        }
        text.append(']');
        Key next = page.next();
        if (next != null) {
            text.append(",\"next\":\"").append(Cursor.of(next)).append('"');
        }
        return text.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder text, KeySummary key) {
        name(text.append('{'), key);
        text.append(",\"holders\":")
                .append(key.holders())
                .append(",\"waiters\":")
                .append(key.waiters());
        if (key.holders() > 0) {
            JsonText.seconds(key.heldNanos(), text.append(",\"oldest_hold_s\":"));
        } else if (key.idle()) {
            JsonText.seconds(key.idleNanos(), text.append(",\"idle_s\":"));
        }
        text.append('}');
    }

    /** The key in writing, exactly if it is not UTF-8, its kind and its limit. */
    static void name(StringBuilder text, KeySummary key) {
        byte[] bytes = key.key().toBytes();
        JsonText.quote(bytes, text.append("\"key\":"));
        if (!Utf8.isValid(bytes)) {
            text.append(",\"key_escaped\":\"")
                    .append(PercentCoding.encode(bytes))
                    .append('"');
        }
        text.append(",\"kind\":\"")
                .append(key.kind() == Kind.LOCK ? "lock" : "semaphore")
                .append("\",\"limit\":")
                .append(key.limit());
    }
}
