package io.flockgate.client.consul;

import io.flockgate.client.json.JsonNumber;
import io.flockgate.client.json.JsonObject;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Operations of Consul's transactions. All but {@link #set} are conditional, so a late write does no harm. */
final class Ops {
    private Ops() {}

    static JsonObject set(String key, byte[] value) {
        return op(write("set", key, Flags.NONE, value));
    }

    /** @param before the entry that is replaced; null if there must be none */
    static JsonObject cas(String key, long flags, byte[] value, @Nullable Entry before) {
        return op(index(write("cas", key, flags, value), before == null ? 0 : before.modifyIndex()));
    }

    static JsonObject lock(String key, long flags, byte[] value, String session) {
        return op(write("lock", key, flags, value).put("Session", session));
    }

    static JsonObject unlock(String key, long flags, String session) {
        return op(write("unlock", key, flags, new byte[0]).put("Session", session));
    }

    static JsonObject delete(Entry entry) {
        return op(index(verb("delete-cas", entry.key()), entry.modifyIndex()));
    }

    static JsonObject unchanged(Entry entry) {
        return op(index(verb("check-index", entry.key()), entry.modifyIndex()));
    }

    static JsonObject unchanged(String key, @Nullable Entry entry) {
        return entry == null ? absent(key) : unchanged(entry);
    }

    static JsonObject absent(String key) {
        return op(verb("check-not-exists", key));
    }

    private static JsonObject.Builder verb(String verb, String key) {
        return JsonObject.builder().put("Verb", verb).put("Key", key);
    }

    private static JsonObject.Builder write(String verb, String key, long flags, byte[] value) {
        return verb(verb, key)
                .put("Flags", JsonNumber.ofUnsigned(flags))
                .put("Value", Base64.getEncoder().encodeToString(value));
    }

    private static JsonObject.Builder index(JsonObject.Builder op, long index) {
        return op.put("Index", JsonNumber.ofUnsigned(index));
    }

    private static JsonObject op(JsonObject.Builder operation) {
        return JsonObject.builder().put("KV", operation.build()).build();
    }
}
