package io.flockgate.storage.consul.kv;

import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.JsonStream;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of Consul's responses: numbers are unsigned 64-bit integers, and values are
 * base64. It ignores unknown fields. A response of another form fails with a {@link JsonException}.
 */
public final class ResponseJson {
    private ResponseJson() {}

    private interface Item<T> {
        @Nullable
        T read(JsonStream json) throws IOException;
    }

    private interface Member {
        /** Reads the value of this member. */
        void read(String name, JsonStream json) throws IOException;
    }

    /** A session: its id, its name and its node, each empty if the response lacks it. */
    public record Session(String id, String name, String node) {}

    /**
     * Reads a list of entries from a stream.
     *
     * @param share receives each entry, and returns it or an equal one
     * @throws IOException if the stream fails
     */
    public static List<KvEntry> entries(InputStream body, UnaryOperator<KvEntry> share) throws IOException {
        JsonStream json = new JsonStream(body);
        List<KvEntry> entries = list(json, each -> share.apply(entry(each)));
        json.end();
        return entries;
    }

    public static List<KvEntry> entries(byte[] body) {
        return whole(body, json -> list(json, ResponseJson::entry));
    }

    public static List<String> names(byte[] body) {
        return whole(body, json -> list(json, JsonStream::string));
    }

    /** The id in the response to the creation of a session. */
    public static String id(byte[] body) {
        return required(whole(body, ResponseJson::session).id(), "ID");
    }

    public static List<Session> sessions(byte[] body) {
        return whole(body, json -> list(json, ResponseJson::session));
    }

    private static Session session(JsonStream json) throws IOException {
        Map<String, String> fields = new HashMap<>();
        object(json, (name, value) -> {
            switch (name) {
                case "ID", "Name", "Node" -> fields.put(name, value.string());
                default -> value.skip();
            }
        });
        return new Session(
                fields.getOrDefault("ID", ""), fields.getOrDefault("Name", ""), fields.getOrDefault("Node", ""));
    }

    /** The node of a session; null when the list is empty, because there is no such session. */
    public static @Nullable String sessionNode(byte[] body) {
        List<Session> sessions = sessions(body);
        return sessions.isEmpty() ? null : required(sessions.get(0).node(), "Node");
    }

    /**
     * The CreateIndex of a node in the catalog; 0 when the answer is null, because there is no such
     * node.
     */
    public static long nodeIndex(byte[] body) {
        long[] index = {0};
        boolean unused = whole(body, json -> {
            objectOrNull(json, (name, node) -> {
                if (name.equals("Node")) {
                    objectOrNull(node, (field, value) -> index[0] = fieldOr(field, value, "CreateIndex", index[0]));
                } else {
                    node.skip();
                }
            });
            return true;
        });
        return index[0];
    }

    private static long fieldOr(String field, JsonStream value, String wanted, long otherwise) throws IOException {
        if (field.equals(wanted)) {
            return value.unsigned();
        }
        value.skip();
        return otherwise;
    }

    /**
     * The results of a transaction that was carried out. Results that are not from the KV store are
     * left out.
     */
    public static List<KvEntry> results(byte[] body) {
        return member(body, "Results", ResponseJson::result);
    }

    /** The obstacles of a transaction that was not carried out. */
    public static List<Obstacle> obstacles(byte[] body) {
        return member(body, "Errors", ResponseJson::obstacle);
    }

    private static <T> List<T> member(byte[] body, String wanted, Item<T> item) {
        return whole(body, json -> {
            List<T> items = null;
            json.beginObject();
            for (String name = json.nextName(); name != null; name = json.nextName()) {
                if (name.equals(wanted)) {
                    items = list(json, item);
                } else {
                    json.skip();
                }
            }
            return required(items, wanted);
        });
    }

    private static @Nullable KvEntry result(JsonStream json) throws IOException {
        KvEntry entry = null;
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            if (!name.equals("KV")) {
                json.skip();
            } else if (!json.isNull()) {
                entry = entry(json);
            }
        }
        return entry;
    }

    private static Obstacle obstacle(JsonStream json) throws IOException {
        int operation = 0;
        String what = "";
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            switch (name) {
                case "OpIndex" -> operation = (int) json.unsigned();
                case "What" -> what = json.string();
                default -> json.skip();
            }
        }
        return new Obstacle(operation, what);
    }

    private static KvEntry entry(JsonStream json) throws IOException {
        String key = null;
        String session = "";
        byte[] value = {};
        long flags = 0;
        long lock = 0;
        long create = 0;
        long modify = 0;
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            switch (name) {
                case "Key" -> key = json.string();
                case "Session" -> session = json.isNull() ? "" : json.repeated();
                case "Value" -> value = json.isNull() ? new byte[0] : json.base64();
                case "Flags" -> flags = json.unsigned();
                case "LockIndex" -> lock = json.unsigned();
                case "CreateIndex" -> create = json.unsigned();
                case "ModifyIndex" -> modify = json.unsigned();
                default -> json.skip();
            }
        }
        return new KvEntry(
                required(key, "Key"), flags, value, session.isEmpty() ? null : session, lock, create, modify);
    }

    private static void object(JsonStream json, Member member) throws IOException {
        json.beginObject();
        for (String name = json.nextName(); name != null; name = json.nextName()) {
            member.read(name, json);
        }
    }

    private static void objectOrNull(JsonStream json, Member member) throws IOException {
        if (!json.isNull()) {
            object(json, member);
        }
    }

    /** Null counts as an empty list, because Go writes an empty list that way. */
    private static <T> List<T> list(JsonStream json, Item<T> item) throws IOException {
        List<T> items = new ArrayList<>();
        if (json.isNull()) {
            return items;
        }
        json.beginList();
        while (json.nextItem()) {
            T read = item.read(json);
            if (read != null) {
                items.add(read);
            }
        }
        return items;
    }

    private interface Whole<T extends @Nullable Object> {
        T read(JsonStream json) throws IOException;
    }

    private static <T extends @Nullable Object> T whole(byte[] body, Whole<T> form) {
        try {
            JsonStream json = new JsonStream(body);
            T read = form.read(json);
            json.end();
            return read;
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
    }

    private static <T> T required(@Nullable T value, String name) {
        if (value == null || Objects.equals(value, "")) {
            throw new JsonException("a response without " + name);
        }
        return value;
    }
}
