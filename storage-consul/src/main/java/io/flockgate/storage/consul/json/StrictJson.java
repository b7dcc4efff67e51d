package io.flockgate.storage.consul.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON strictly as RFC 8259 defines it: one object in UTF-8 with nothing after it.
 * A name that occurs twice in one object is refused, as is half a surrogate pair, and a text that
 * is longer or more deeply nested than the limits.
 */
public final class StrictJson {
    /** The maximum nesting depth of objects and lists. */
    public static final int MAX_DEPTH = 64;

    /** The maximum number of digits of a number. */
    public static final int MAX_NUMBER = 64;

    /** Without a table of names, because other software chooses the names. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxNumberLength(MAX_NUMBER)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private StrictJson() {}

    /**
     * Reads an object.
     *
     * @param maxBytes the maximum length accepted
     * @throws JsonException if it is not JSON, or is beyond the limits
     */
    public static JsonObject read(byte[] utf8, int maxBytes) {
        if (utf8.length > maxBytes) {
            throw new JsonException("the text has more than " + maxBytes + " bytes");
        }
        try {
            // Jackson would also read other encodings, and accept some invalid UTF-8.
            CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8));
            try (JsonParser json = FACTORY.createParser(text.array(), 0, text.length())) {
                return whole(json);
            }
        } catch (IOException other) {
            // Jackson's message may quote the text.
            throw new JsonException("the text is no JSON, or is beyond the limits");
        }
    }

    private static JsonObject whole(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new JsonException("the text is no object");
        }
        JsonObject object = object(json);
        if (json.nextToken() != null) {
            throw new JsonException("the text goes on after the object");
        }
        return object;
    }

    private static JsonObject object(JsonParser json) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
            members.put(whole(name), value(json, json.nextToken()));
        }
        return new JsonObject(members);
    }

    private static JsonValue value(JsonParser json, @Nullable JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> items(json);
            case VALUE_STRING -> new JsonValue.Text(whole(json.getText()));
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonValue.Digits(json.getText());
            case VALUE_TRUE -> JsonValue.Name.TRUE;
            case VALUE_FALSE -> JsonValue.Name.FALSE;
            case VALUE_NULL -> JsonValue.Name.NULL;
            case null, default -> throw new JsonException("a value is missing");
        };
    }

    private static JsonValue items(JsonParser json) throws IOException {
        List<JsonValue> values = new ArrayList<>();
        for (JsonToken token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
            values.add(value(json, token));
        }
        return new JsonValue.Items(values);
    }

    /**
     * Returns this text.
     *
     * @throws JsonException if it has half a surrogate pair, which UTF-8 cannot encode
     */
    public static String whole(String text) {
        if (text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
            throw new JsonException("a text that UTF-8 cannot encode");
        }
        return text;
    }

    static byte[] write(JsonObject object) {
        return bytes(256, json -> write(object, json));
    }

    /** Writes a text. */
    @FunctionalInterface
    public interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * A text in UTF-8.
     *
     * @param size the number of bytes that are expected
     * @throws JsonException if UTF-8 cannot encode it
     */
    public static byte[] bytes(int size, Body body) {
        var bytes = new ByteArrayOutputStream(size);
        try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
            body.write(json);
        } catch (IOException e) {
            throw new JsonException("a text that UTF-8 cannot encode");
        }
        return bytes.toByteArray();
    }

    private static void write(JsonValue value, JsonGenerator json) throws IOException {
        switch (value) {
            case JsonObject object -> {
                json.writeStartObject();
                for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                    json.writeFieldName(member.getKey());
                    write(member.getValue(), json);
                }
                json.writeEndObject();
            }
            case JsonValue.Items items -> {
                json.writeStartArray();
                for (JsonValue each : items.values()) {
                    write(each, json);
                }
                json.writeEndArray();
            }
            case JsonValue.Text text -> json.writeString(text.value());
            case JsonValue.Digits digits -> json.writeNumber(digits.text());
            case JsonValue.Name name -> json.writeRawValue(name.toString());
        }
    }
}
