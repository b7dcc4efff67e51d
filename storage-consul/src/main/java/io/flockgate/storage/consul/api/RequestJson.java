package io.flockgate.storage.consul.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The JSON of requests to Consul: numbers are unsigned and of 64 bits, values are base64. */
final class RequestJson {
    private static final JsonFactory JSON = new JsonFactory();

    private RequestJson() {}

    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    static byte[] txn(List<KvOp> operations) throws IOException {
        return write(json -> {
            json.writeStartArray();
            for (KvOp operation : operations) {
                json.writeStartObject();
                json.writeObjectFieldStart("KV");
                write(json, operation);
                json.writeEndObject();
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static void write(JsonGenerator json, KvOp operation) throws IOException {
        json.writeStringField("Key", wellFormed(operation.key()));
        switch (operation) {
            case KvOp.Set op -> write(json, "set", op.flags(), op.value());
            case KvOp.Cas op -> {
                write(json, "cas", op.flags(), op.value());
                unsigned(json, "Index", op.index());
            }
            case KvOp.Lock op -> {
                write(json, "lock", op.flags(), op.value());
                json.writeStringField("Session", op.session());
            }
            case KvOp.Unlock op -> {
                write(json, "unlock", op.flags(), op.value());
                json.writeStringField("Session", op.session());
            }
            case KvOp.DeleteCas op -> indexed(json, "delete-cas", op.index());
            case KvOp.CheckIndex op -> indexed(json, "check-index", op.index());
            case KvOp.CheckNotExists op -> json.writeStringField("Verb", "check-not-exists");
            case KvOp.GetTree op -> json.writeStringField("Verb", "get-tree");
        }
    }

    /** Refuses half a surrogate pair, because it would become another key in UTF-8. */
    static String wellFormed(String text) throws IOException {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IOException("a name that UTF-8 cannot encode");
        }
        return text;
    }

    private static void write(JsonGenerator json, String verb, long flags, byte[] value) throws IOException {
        json.writeStringField("Verb", verb);
        unsigned(json, "Flags", flags);
        json.writeBinaryField("Value", value);
    }

    private static void indexed(JsonGenerator json, String verb, long index) throws IOException {
        json.writeStringField("Verb", verb);
        unsigned(json, "Index", index);
    }

    private static void unsigned(JsonGenerator json, String name, long number) throws IOException {
        json.writeFieldName(name);
        json.writeNumber(Long.toUnsignedString(number));
    }

    static byte[] session(SessionSpec spec) throws IOException {
        return write(json -> {
            json.writeStartObject();
            json.writeStringField("Name", spec.name());
            json.writeStringField("TTL", duration(spec.ttl()));
            json.writeStringField("Behavior", "release");
            json.writeStringField("LockDelay", "0s");
            // Present even if empty: without the field Consul takes the node's own health check.
            json.writeArrayFieldStart("NodeChecks");
            json.writeEndArray();
            json.writeArrayFieldStart("ServiceChecks");
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /** A duration in the form that Go reads. */
    static String duration(Duration time) {
        return time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
    }

    private static byte[] write(Body body) throws IOException {
        var out = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = JSON.createGenerator(out)) {
            body.write(json);
        }
        return out.toByteArray();
    }
}
