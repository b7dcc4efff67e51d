package io.flockgate.client.json;

import java.util.ArrayList;
import java.util.List;

/** A list of values. */
public record JsonArray(List<JsonValue> values) implements JsonValue {
    public JsonArray {
        values = List.copyOf(values);
    }

    public static JsonArray ofStrings(Iterable<String> texts) {
        List<JsonValue> values = new ArrayList<>();
        texts.forEach(text -> values.add(new JsonString(text)));
        return new JsonArray(values);
    }

    /** The strings in this list; refused if it contains anything else. */
    public List<String> strings() {
        return values.stream().map(JsonArray::text).toList();
    }

    private static String text(JsonValue value) {
        if (value instanceof JsonString string) {
            return string.value();
        }
        throw new JsonException("a list contains something other than texts");
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
