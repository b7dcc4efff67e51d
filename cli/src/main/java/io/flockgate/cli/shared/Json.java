package io.flockgate.cli.shared;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as maps, lists, texts, decimal numbers and Booleans. A member that is null
 * is left out.
 */
public final class Json {
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

    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** The object that this text is; empty if it is anything else. */
    static Optional<Map<String, Object>> object(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            Optional<Map<String, Object>> object =
                    parser.nextToken() == JsonToken.START_OBJECT ? Optional.of(object(parser)) : Optional.empty();
            return parser.nextToken() == null ? object : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Map<String, Object> object(JsonParser parser) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken unused = parser.nextToken();
            Object value = value(parser);
            if (value != null) {
                members.put(name, value);
            }
        }
        return members;
    }

    private static List<Object> array(JsonParser parser) throws IOException {
        List<Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            Object value = value(parser);
            if (value != null) {
                elements.add(value);
            }
        }
        return elements;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new BigDecimal(parser.getText());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    /** An object of these members on one line. */
    public static String text(Map<?, ?> members) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, members);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, Object value) throws IOException {
        switch (value) {
            case Map<?, ?> members -> {
                generator.writeStartObject();
                for (Map.Entry<?, ?> member : members.entrySet()) {
                    generator.writeFieldName(String.valueOf(member.getKey()));
                    write(generator, member.getValue());
                }
                generator.writeEndObject();
            }
            case List<?> elements -> {
                generator.writeStartArray();
                for (Object element : elements) {
                    write(generator, element);
                }
                generator.writeEndArray();
            }
            case Number number -> generator.writeNumber(number.toString());
            case Boolean truth -> generator.writeBoolean(truth);
            default -> generator.writeString(value.toString());
        }
    }
}
