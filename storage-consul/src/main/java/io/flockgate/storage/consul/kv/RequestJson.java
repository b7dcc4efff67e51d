package io.flockgate.storage.consul.kv;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.JsonString;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/** The JSON of requests to Consul: numbers are unsigned 64-bit integers, and values are base64. */
public final class RequestJson {
    private static final String VERB = ",\"Verb\":";

    private RequestJson() {}

    /**
     * The body of a transaction.
     *
     * @throws JsonException if UTF-8 cannot encode a name
     */
    public static byte[] txn(List<KvOp> operations) {
        StringBuilder json = new StringBuilder(512 * operations.size() + 2);
        char before = '[';
        for (KvOp operation : operations) {
            json.append(before).append("{\"KV\":");
            write(operation, json);
            json.append('}');
            before = ',';
        }
        return utf8(json.append(operations.isEmpty() ? "[]" : "]"));
    }

    private static void write(KvOp operation, StringBuilder json) {
        text("{\"Key\":", wellFormed(operation.key()), json);
        if (operation instanceof KvOp.Set set) {
            write("set", set, json);
        } else if (operation instanceof KvOp.Cas cas) {
            write("cas", cas, json);
            number(",\"Index\":", cas.index(), json);
        } else if (operation instanceof KvOp.Lock lock) {
            write("lock", lock, json);
            text(",\"Session\":", lock.session(), json);
        } else if (operation instanceof KvOp.Unlock unlock) {
            write("unlock", unlock, json);
            text(",\"Session\":", unlock.session(), json);
        } else if (operation instanceof KvOp.DeleteCas deletion) {
            text(VERB, "delete-cas", json);
            number(",\"Index\":", deletion.index(), json);
        } else if (operation instanceof KvOp.CheckIndex check) {
            text(VERB, "check-index", json);
            number(",\"Index\":", check.index(), json);
        } else {
            text(VERB, operation instanceof KvOp.GetTree ? "get-tree" : "check-not-exists", json);
        }
        json.append('}');
    }

    private static void write(String verb, KvOp.Write write, StringBuilder json) {
        text(VERB, verb, json);
        number(",\"Flags\":", write.flags(), json);
        text(",\"Value\":", Base64.getEncoder().encodeToString(write.value()), json);
    }

    private static void text(String name, String value, StringBuilder json) {
        JsonString.write(value, json.append(name));
    }

    private static void number(String name, long unsigned, StringBuilder json) {
        json.append(name).append(Long.toUnsignedString(unsigned));
    }

    /** Refuses half a surrogate pair, because it would become another key in UTF-8. */
    public static String wellFormed(String name) {
        if (!JsonString.isWhole(name)) {
            throw new JsonException("a name that UTF-8 cannot encode");
        }
        return name;
    }

    /**
     * The body of a request for a session without lock delay or check, whose end leaves its keys.
     */
    public static byte[] session(String name, Duration ttl) {
        StringBuilder json = new StringBuilder(256);
        text("{\"Name\":", name, json);
        text(",\"TTL\":", duration(ttl), json);
        // The lists are present though empty, because without them Consul uses the node's own
        // health check.
        json.append(",\"Behavior\":\"release\",\"LockDelay\":\"0s\",\"NodeChecks\":[],\"ServiceChecks\":[]}");
        return utf8(json);
    }

    /** A duration in the form that Go parses. */
    static String duration(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    private static byte[] utf8(StringBuilder json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }
}
