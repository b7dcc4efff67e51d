package io.flockgate.storage.consul.kv;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.StrictJson;
import io.flockgate.storage.consul.kv.TxnOutcome.Obstacle;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON of Consul's responses while it arrives: numbers are unsigned 64-bit integers, and
 * values are base64. It ignores unknown fields. A response of another form fails with a {@link
 * JsonException}.
 */
public final class ResponseJson {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(StrictJson.MAX_DEPTH)
                    .build())
            .build();

    private ResponseJson() {}

    /** Reads a value whose first token is the current one, up to its last token. */
    private interface Form<T extends @Nullable Object> {
        T read(JsonParser json) throws IOException;
    }

    /**
     * Reads a list of entries from a stream, which stays open.
     *
     * @throws IOException if the stream fails
     */
    public static List<KvEntry> entries(InputStream body) throws IOException {
        return read(FACTORY.createParser(body), json -> list(json, ResponseJson::entry));
    }

    /** The id in the response to the creation of a session. */
    public static String id(String body) {
        return required(whole(body, json -> member(json, "ID", ResponseJson::text)), "ID");
    }

    /**
     * The results of a transaction that was carried out. Results that are not from the KV store are
     * left out.
     */
    public static List<KvEntry> results(String body) {
        return required(
                whole(
                        body,
                        json -> member(
                                json,
                                "Results",
                                all -> list(all, each -> member(each, "KV", kv -> isNull(kv) ? null : entry(kv))))),
                "Results");
    }

    /** The obstacles of a transaction that was not carried out. */
    public static List<Obstacle> obstacles(String body) {
        return required(
                whole(body, json -> member(json, "Errors", all -> list(all, ResponseJson::obstacle))), "Errors");
    }

    private static Obstacle obstacle(JsonParser json) throws IOException {
        int operation = 0;
        String what = "";
        begin(json, JsonToken.START_OBJECT);
        for (String name = next(json); name != null; name = next(json)) {
            switch (name) {
                case "OpIndex" -> operation = (int) unsigned(json);
                case "What" -> what = text(json);
                default -> json.skipChildren();
            }
        }
        return new Obstacle(operation, what);
    }

    private static KvEntry entry(JsonParser json) throws IOException {
        String key = null;
        String session = "";
        byte[] value = {};
        long flags = 0;
        long create = 0;
        long modify = 0;
        begin(json, JsonToken.START_OBJECT);
        for (String name = next(json); name != null; name = next(json)) {
            switch (name) {
                case "Key" -> key = text(json);
                case "Session" -> session = isNull(json) ? "" : text(json);
                case "Value" -> value = isNull(json) ? new byte[0] : base64(json);
                case "Flags" -> flags = unsigned(json);
                case "CreateIndex" -> create = unsigned(json);
                case "ModifyIndex" -> modify = unsigned(json);
                default -> json.skipChildren();
            }
        }
        return new KvEntry(required(key, "Key"), flags, value, session.isEmpty() ? null : session, create, modify);
    }

    /** A member of an object; null if it is missing, or the object is {@code null}. */
    private static <T> @Nullable T member(JsonParser json, String wanted, Form<? extends @Nullable T> form)
            throws IOException {
        if (isNull(json)) {
            return null;
        }
        T member = null;
        begin(json, JsonToken.START_OBJECT);
        for (String name = next(json); name != null; name = next(json)) {
            if (name.equals(wanted)) {
                member = form.read(json);
            } else {
                json.skipChildren();
            }
        }
        return member;
    }

    /** Null counts as an empty list, because Go writes an empty list that way. */
    private static <T> List<T> list(JsonParser json, Form<? extends @Nullable T> form) throws IOException {
        List<T> items = new ArrayList<>();
        if (isNull(json)) {
            return items;
        }
        begin(json, JsonToken.START_ARRAY);
        while (json.nextToken() != JsonToken.END_ARRAY) {
            T read = form.read(json);
            if (read != null) {
                items.add(read);
            }
        }
        return items;
    }

    private static void begin(JsonParser json, JsonToken opening) {
        if (!json.hasToken(opening)) {
            throw new JsonException("a response of another form: " + opening + " expected");
        }
    }

    /** The name of the next member, after which its value is the current token; null at the end. */
    private static @Nullable String next(JsonParser json) throws IOException {
        String name = json.nextFieldName();
        if (name != null) {
            JsonToken unused = json.nextToken();
        }
        return name;
    }

    private static boolean isNull(JsonParser json) {
        return json.hasToken(JsonToken.VALUE_NULL);
    }

    private static String text(JsonParser json) throws IOException {
        begin(json, JsonToken.VALUE_STRING);
        return json.getText();
    }

    private static byte[] base64(JsonParser json) throws IOException {
        begin(json, JsonToken.VALUE_STRING);
        return json.getBinaryValue();
    }

    private static long unsigned(JsonParser json) throws IOException {
        begin(json, JsonToken.VALUE_NUMBER_INT);
        if (json.getNumberType() != JsonParser.NumberType.BIG_INTEGER && json.getLongValue() >= 0) {
            return json.getLongValue();
        }
        try {
            return Long.parseUnsignedLong(json.getText());
        } catch (NumberFormatException other) {
            throw new JsonException("a number that is no whole number of 64 bits without a sign");
        }
    }

    private static <T extends @Nullable Object> T whole(String body, Form<T> form) {
        try {
            return read(FACTORY.createParser(body), form);
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
    }

    private static <T extends @Nullable Object> T read(JsonParser body, Form<T> form) throws IOException {
        try (JsonParser json = body) {
            JsonToken unused = json.nextToken();
            T read = form.read(json);
            if (json.nextToken() != null) {
                throw new JsonException("a response that goes on");
            }
            return read;
        } catch (JsonProcessingException e) {
            // Jackson's message may quote a value.
            throw new JsonException("a response that is no JSON of the expected form");
        }
    }

    private static <T> T required(@Nullable T value, String name) {
        if (value == null || Objects.equals(value, "")) {
            throw new JsonException("a response without " + name);
        }
        return value;
    }
}
