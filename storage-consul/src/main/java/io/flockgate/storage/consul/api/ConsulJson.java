package io.flockgate.storage.consul.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.flockgate.storage.consul.api.TxnOutcome.Obstacle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Consul's JSON, as streams: numbers are unsigned and of 64 bits, values are base64. Fields it does not know are passed over;
 * what does not have the form expected fails with an {@link IOException}.
 */
final class ConsulJson {
    private static final JsonFactory JSON = new JsonFactory();

    private ConsulJson() {}

    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private interface Item<T> {
        @Nullable
        T read(JsonParser json) throws IOException;
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

    /** Half a surrogate pair would become another key on its way. */
    static String wellFormed(String text) throws IOException {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IOException("a name that has no form in UTF-8");
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
            json.writeStringField("Behavior", "delete");
            json.writeStringField("LockDelay", "0s");
            // Named even if empty: without the field Consul takes the node's own health check.
            json.writeArrayFieldStart("NodeChecks");
            for (String check : spec.nodeChecks()) {
                json.writeString(check);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("ServiceChecks");
            for (String check : spec.serviceChecks()) {
                json.writeStartObject();
                json.writeStringField("ID", check);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    /**
     * A service with a check of the same id that begins as passing, so that a session can be bound to it at once. Consul takes
     * no time under a minute after which it tidies away what its maker has left.
     */
    static byte[] service(String id, String name, Duration ttl) throws IOException {
        return write(json -> {
            json.writeStartObject();
            json.writeStringField("ID", id);
            json.writeStringField("Name", name);
            json.writeObjectFieldStart("Check");
            json.writeStringField("CheckID", id);
            json.writeStringField("TTL", duration(ttl));
            json.writeStringField("Status", "passing");
            json.writeStringField("DeregisterCriticalServiceAfter", "1m");
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    /** As Go reads it. */
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

    static List<KvEntry> entries(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            return list(json, ConsulJson::entry);
        }
    }

    static List<String> names(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            return list(json, ConsulJson::text);
        }
    }

    /** The id in the reply to the making of a session. */
    static String id(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            String id = null;
            while (nextField(json)) {
                if (json.currentName().equals("ID")) {
                    json.nextToken();
                    id = text(json);
                } else {
                    skip(json);
                }
            }
            return required(id, "ID");
        }
    }

    /** Of a transaction that was carried out. */
    static List<KvEntry> results(byte[] body) throws IOException {
        return member(body, "Results", ConsulJson::result);
    }

    /** Of a transaction that was not carried out. */
    static List<Obstacle> obstacles(byte[] body) throws IOException {
        return member(body, "Errors", ConsulJson::obstacle);
    }

    private static <T> List<T> member(byte[] body, String name, Item<T> item) throws IOException {
        List<T> items = null;
        try (JsonParser json = begin(body)) {
            while (nextField(json)) {
                boolean wanted = json.currentName().equals(name);
                json.nextToken();
                if (wanted) {
                    items = list(json, item);
                } else {
                    json.skipChildren();
                }
            }
        }
        return required(items, name);
    }

    /** Null for a result that is not one of the KV store. */
    private static @Nullable KvEntry result(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT);
        KvEntry entry = null;
        while (nextField(json)) {
            boolean kv = json.currentName().equals("KV");
            if (json.nextToken() != JsonToken.VALUE_NULL && kv) {
                entry = entry(json);
            } else {
                json.skipChildren();
            }
        }
        return entry;
    }

    private static Obstacle obstacle(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT);
        int operation = 0;
        String what = "";
        while (nextField(json)) {
            switch (json.currentName()) {
                case "OpIndex" -> {
                    json.nextToken();
                    operation = (int) unsigned(json);
                }
                case "What" -> {
                    json.nextToken();
                    what = text(json);
                }
                default -> skip(json);
            }
        }
        return new Obstacle(operation, what);
    }

    private static KvEntry entry(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT);
        String key = null;
        String session = null;
        byte[] value = {};
        long flags = 0;
        long lock = 0;
        long create = 0;
        long modify = 0;
        while (nextField(json)) {
            String name = json.currentName();
            boolean absent = json.nextToken() == JsonToken.VALUE_NULL;
            switch (name) {
                case "Key" -> key = text(json);
                case "Session" -> session = absent ? null : text(json);
                case "Value" -> value = absent ? new byte[0] : json.getBinaryValue();
                case "Flags" -> flags = unsigned(json);
                case "LockIndex" -> lock = unsigned(json);
                case "CreateIndex" -> create = unsigned(json);
                case "ModifyIndex" -> modify = unsigned(json);
                default -> json.skipChildren();
            }
        }
        String holder = session == null || session.isEmpty() ? null : session;
        return new KvEntry(required(key, "Key"), flags, value, holder, lock, create, modify);
    }

    private static JsonParser begin(byte[] body) throws IOException {
        JsonParser json = JSON.createParser(body);
        json.nextToken();
        return json;
    }

    /** Null counts as empty: Go writes it so. */
    private static <T> List<T> list(JsonParser json, Item<T> item) throws IOException {
        var items = new ArrayList<T>();
        if (json.currentToken() == JsonToken.VALUE_NULL) {
            return items;
        }
        expect(json, JsonToken.START_ARRAY);
        while (json.nextToken() != JsonToken.END_ARRAY) {
            T read = item.read(json);
            if (read != null) {
                items.add(read);
            }
        }
        return items;
    }

    /** Goes to the next field of an object; false at its end. */
    private static boolean nextField(JsonParser json) throws IOException {
        JsonToken next = json.nextToken();
        if (next == JsonToken.END_OBJECT) {
            return false;
        }
        expect(json, JsonToken.FIELD_NAME);
        return true;
    }

    private static void skip(JsonParser json) throws IOException {
        json.nextToken();
        json.skipChildren();
    }

    private static String text(JsonParser json) throws IOException {
        expect(json, JsonToken.VALUE_STRING);
        return json.getText();
    }

    private static long unsigned(JsonParser json) throws IOException {
        expect(json, JsonToken.VALUE_NUMBER_INT);
        try {
            return Long.parseUnsignedLong(json.getText());
        } catch (NumberFormatException e) {
            throw new IOException("a number is not one of 64 bits without sign", e);
        }
    }

    private static void expect(JsonParser json, JsonToken token) throws IOException {
        if (json.currentToken() != token) {
            throw new IOException("JSON has " + json.currentToken() + " instead of " + token);
        }
    }

    private static <T> T required(@Nullable T value, String name) throws IOException {
        if (value == null) {
            throw new IOException("JSON lacks " + name);
        }
        return value;
    }
}
