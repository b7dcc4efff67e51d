package io.flockgate.cli.shared;

import io.flockgate.client.json.JsonArray;
import io.flockgate.client.json.JsonException;
import io.flockgate.client.json.JsonLiteral;
import io.flockgate.client.json.JsonNumber;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.json.JsonReader;
import io.flockgate.client.json.JsonString;
import io.flockgate.client.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A JSON object in the answer of a server. A field that is missing, or has another type than
 * requested, reads as empty, 0 or false: a command shows what the server reports.
 */
public record Answer(JsonObject json) {
    /** Without fields. */
    public static final Answer EMPTY = new Answer(JsonObject.EMPTY);

    /** The object in this text; empty if the text is not one. */
    public static Optional<Answer> of(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return Optional.of(new Answer(JsonReader.readObject(bytes, bytes.length)));
        } catch (JsonException e) {
            return Optional.empty();
        }
    }

    public boolean has(String name) {
        return json.has(name);
    }

    public boolean hasNumber(String name) {
        return json.get(name) instanceof JsonNumber;
    }

    public String text(String name) {
        return json.get(name) instanceof JsonString text ? text.value() : "";
    }

    public double number(String name) {
        return json.get(name) instanceof JsonNumber number ? Double.parseDouble(number.text()) : 0;
    }

    public boolean isTrue(String name) {
        return json.get(name) == JsonLiteral.TRUE;
    }

    /** A field of any type as the server wrote it, strings without their quotes. */
    public String shown(String name) {
        JsonValue value = json.get(name);
        return value instanceof JsonString text ? text.value() : value == null ? "" : value.toString();
    }

    public Answer object(String name) {
        return json.get(name) instanceof JsonObject object ? new Answer(object) : EMPTY;
    }

    public List<Answer> objects(String name) {
        return json.get(name) instanceof JsonArray list
                ? list.values().stream()
                        .filter(JsonObject.class::isInstance)
                        .map(object -> new Answer((JsonObject) object))
                        .toList()
                : List.of();
    }

    /**
     * The objects of a list that every gateway sends.
     *
     * @throws CommandException if it is missing
     */
    public List<Answer> expected(String name) {
        if (json.get(name) instanceof JsonArray) {
            return objects(name);
        }
        throw CommandException.failed("the answer is not a gateway's: is --server right?");
    }
}
