package io.flockgate.cli.shared;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A JSON object in the answer of a server. A field that is missing, or has another type than
 * requested, reads as empty, 0 or false: a command shows what the server reports.
 */
public record JsonAnswer(Map<?, ?> fields) {
    /** Without fields. */
    public static final JsonAnswer EMPTY = new JsonAnswer(Map.of());

    /** The object in this text; empty if the text is not one. */
    public static Optional<JsonAnswer> of(String text) {
        return Json.object(text).map(JsonAnswer::new);
    }

    public boolean has(String name) {
        return fields.containsKey(name);
    }

    public boolean hasNumber(String name) {
        return fields.get(name) instanceof BigDecimal;
    }

    public String text(String name) {
        return fields.get(name) instanceof String text ? text : "";
    }

    public double number(String name) {
        return fields.get(name) instanceof BigDecimal number ? number.doubleValue() : 0;
    }

    public boolean isTrue(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    /** A text or a number as the server wrote it. */
    public String shown(String name) {
        return has(name) ? String.valueOf(fields.get(name)) : "";
    }

    public JsonAnswer object(String name) {
        return fields.get(name) instanceof Map<?, ?> object ? new JsonAnswer(object) : EMPTY;
    }

    public List<JsonAnswer> objects(String name) {
        return fields.get(name) instanceof List<?> list
                ? list.stream()
                        .filter(Map.class::isInstance)
                        .map(object -> new JsonAnswer((Map<?, ?>) object))
                        .toList()
                : List.of();
    }

    /**
     * The objects of a list that every gateway sends.
     *
     * @throws CommandException if it is missing
     */
    public List<JsonAnswer> expected(String name) {
        if (fields.get(name) instanceof List<?>) {
            return objects(name);
        }
        throw CommandException.failed("the answer is not a gateway's: is --server right?");
    }
}
