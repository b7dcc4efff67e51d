package io.flockgate.storage.consul.kv;

import com.fasterxml.jackson.core.JsonGenerator;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.StrictJson;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The JSON of requests to Consul: numbers are unsigned 64-bit integers, and values are base64. */
public final class RequestJson {
    private RequestJson() {}

    /**
     * The body of a transaction.
     *
     * @throws JsonException if UTF-8 cannot encode a name
     */
    public static byte[] txn(List<KvOp> operations) {
        return StrictJson.bytes(512 * operations.size(), json -> {
            json.writeStartArray();
            for (KvOp operation : operations) {
                json.writeStartObject();
                json.writeObjectFieldStart("KV");
                json.writeStringField("Key", wellFormed(operation.key()));
                write(operation, json);
                json.writeEndObject();
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static void write(KvOp operation, JsonGenerator json) throws IOException {
        switch (operation) {
            case KvOp.Set set -> value("set", set, json);
            case KvOp.Cas cas -> {
                value("cas", cas, json);
                number("Index", cas.index(), json);
            }
            case KvOp.Lock lock -> {
                value("lock", lock, json);
                json.writeStringField("Session", lock.session());
            }
            case KvOp.Unlock unlock -> {
                value("unlock", unlock, json);
                json.writeStringField("Session", unlock.session());
            }
            case KvOp.DeleteCas deletion -> {
                json.writeStringField("Verb", "delete-cas");
                number("Index", deletion.index(), json);
            }
            case KvOp.CheckIndex check -> {
                json.writeStringField("Verb", "check-index");
                number("Index", check.index(), json);
            }
            case KvOp.CheckNotExists check -> json.writeStringField("Verb", "check-not-exists");
            case KvOp.GetTree tree -> json.writeStringField("Verb", "get-tree");
        }
    }

    private static void value(String verb, KvOp.Write write, JsonGenerator json) throws IOException {
        json.writeStringField("Verb", verb);
        number("Flags", write.flags(), json);
        json.writeBinaryField("Value", write.value());
    }

    private static void number(String name, long unsigned, JsonGenerator json) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(Long.toUnsignedString(unsigned));
    }

    /**
     * The body of a request for a session without lock delay or check, whose end leaves its keys.
     */
    public static byte[] session(String name, Duration ttl) {
        return StrictJson.bytes(256, json -> {
            json.writeStartObject();
            json.writeStringField("Name", name);
            json.writeStringField("TTL", duration(ttl));
            json.writeStringField("Behavior", "release");
            json.writeStringField("LockDelay", "0s");
            // The lists are present though empty, because without them Consul uses the node's own
            // health check.
            json.writeArrayFieldStart("NodeChecks");
            json.writeEndArray();
            json.writeArrayFieldStart("ServiceChecks");
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /** Refuses half a surrogate pair, because it would become another key in UTF-8. */
    public static String wellFormed(String name) {
        return StrictJson.whole(name);
    }

    /** A duration in the form that Go parses. */
    static String duration(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }
}
