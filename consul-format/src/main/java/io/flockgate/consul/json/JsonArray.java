package io.flockgate.consul.json;

import java.util.ArrayList;
import java.util.List;

/** A list of values. */
public record JsonArray(List<JsonValue> values) implements JsonValue {
    public JsonArray {
        values = List.copyOf(values);
    }

    /** A list of texts. */
    public static JsonArray ofStrings(Iterable<String> texts) {
        List<JsonValue> values = new ArrayList<>();
        texts.forEach(text -> values.add(new JsonString(text)));
        return new JsonArray(values);
    }

    /** The texts of this list; refused if anything else is in it. */
    public List<String> strings() {
        return values.stream().map(JsonArray::text).toList();
    }

    private static String text(JsonValue value) {
        if (value instanceof JsonString string) {
            return string.value();
        }
        throw new JsonException("a list has something else than texts");
    }

    /** The objects of this list; refused if anything else is in it. */
    public List<JsonObject> objects() {
        return values.stream().map(JsonArray::object).toList();
    }

    private static JsonObject object(JsonValue value) {
        if (value instanceof JsonObject object) {
            return object;
        }
        throw new JsonException("a list has something else than objects");
    }

    @Override
    public void writeTo(StringBuilder text) {
        char before = '[';
        for (JsonValue value : values) {
            text.append(before);
            value.writeTo(text);
            before = ',';
        }
        text.append(values.isEmpty() ? "[]" : "]");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        writeTo(text);
        return text.toString();
    }
}
