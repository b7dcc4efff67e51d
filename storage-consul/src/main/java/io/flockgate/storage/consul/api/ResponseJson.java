package io.flockgate.storage.consul.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.TxnOutcome.Obstacle;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of Consul's responses: numbers are unsigned and of 64 bits, values are base64. It ignores unknown fields. A
 * response of another form fails with an {@link IOException}.
 */
final class ResponseJson {
    private static final JsonFactory JSON = new JsonFactory();

    private ResponseJson() {}

    private interface Item<T> {
        @Nullable
        T read(JsonParser json) throws IOException;
    }

    /** @param known the entries that may be used again */
    static List<KvEntry> entries(InputStream body, KnownEntries known) throws IOException {
        try (JsonParser json = JSON.createParser(body)) {
            json.nextToken();
            Map<String, String> sessions = new HashMap<>();
            return list(json, each -> known.share(entry(each, sessions)));
        }
    }

    static List<String> names(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            return list(json, ResponseJson::text);
        }
    }

    /** The id in the response to the creation of a session. */
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

    /** The node of a session; null when the list is empty, because there is no such session. */
    static @Nullable String sessionNode(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            List<String> nodes = list(json, ResponseJson::node);
            return nodes.isEmpty() ? null : nodes.getFirst();
        }
    }

    private static String node(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT);
        String node = null;
        while (nextField(json)) {
            if (json.currentName().equals("Node")) {
                json.nextToken();
                node = text(json);
            } else {
                skip(json);
            }
        }
        return required(node, "Node");
    }

    /** The CreateIndex of a node in the catalog; 0 when the answer is null, because there is no such node. */
    static long nodeIndex(byte[] body) throws IOException {
        try (JsonParser json = begin(body)) {
            long index = 0;
            if (json.currentToken() == JsonToken.VALUE_NULL) {
                return 0;
            }
            expect(json, JsonToken.START_OBJECT);
            while (nextField(json)) {
                boolean node = json.currentName().equals("Node");
                if (json.nextToken() == JsonToken.START_OBJECT && node) {
                    index = createIndex(json);
                } else {
                    json.skipChildren();
                }
            }
            return index;
        }
    }

    private static long createIndex(JsonParser json) throws IOException {
        long index = 0;
        while (nextField(json)) {
            if (json.currentName().equals("CreateIndex")) {
                json.nextToken();
                index = unsigned(json);
            } else {
                skip(json);
            }
        }
        return index;
    }

    /** The results of a transaction that was carried out. */
    static List<KvEntry> results(byte[] body) throws IOException {
        return member(body, "Results", ResponseJson::result);
    }

    /** The obstacles of a transaction that was not carried out. */
    static List<Obstacle> obstacles(byte[] body) throws IOException {
        return member(body, "Errors", ResponseJson::obstacle);
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

    /** Null for a result that is not of the KV store. */
    private static @Nullable KvEntry result(JsonParser json) throws IOException {
        expect(json, JsonToken.START_OBJECT);
        KvEntry entry = null;
        while (nextField(json)) {
            boolean kv = json.currentName().equals("KV");
            if (json.nextToken() != JsonToken.VALUE_NULL && kv) {
                entry = entry(json, new HashMap<>());
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

    /** @param sessions the sessions of the entries so far. Many entries have the same, and share the text */
    private static KvEntry entry(JsonParser json, Map<String, String> sessions) throws IOException {
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
                case "Session" -> session = absent ? null : sessions.computeIfAbsent(text(json), text -> text);
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

    /** Null is an empty list, because Go writes an empty list so. */
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
            throw new IOException("a number is not an unsigned number of 64 bits", e);
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
