package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Reads a body, which must be one JSON object (protocol-docs/rest-api.md, "Bodies"). Field names
 * are case-insensitive. A null or missing field has the zero value. Integers must be written as
 * integers. On one thread.
 */
@SuppressWarnings("EnumOrdinal") // tables by field, in memory only
public final class JsonBody {
    /** For bodies of all kinds. */
    static final JsonFactory JSON = new JsonFactoryBuilder()
            // Otherwise each field name that clients send would stay in a table forever.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** The part of an unknown field's name that a reply repeats. */
    private static final int MAX_NAME_CHARS = 64;

    private final Set<Field> known;
    private final Set<Field> seen = EnumSet.noneOf(Field.class);
    private final long[] numbers = new long[Field.values().length];
    private String token = "";

    enum Field {
        ACQUIRE_TIMEOUT("acquire_timeout_s"),
        TIMEOUT("timeout_s"),
        LIMIT("limit"),
        LEASE("lease_ttl_s"),
        TOKEN("token");

        private final String text;

        Field(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    private JsonBody(Set<Field> known) {
        this.known = known;
    }

    /** Reads a body that may have these fields and no others. */
    static JsonBody read(byte[] body, Set<Field> known) {
        JsonBody read = new JsonBody(known);
        try (JsonParser parser = JSON.createParser(new String(body, StandardCharsets.UTF_8))) {
            read.readAll(parser);
        } catch (JsonProcessingException e) {
            throw new FaultException("body is not valid JSON, at byte "
                    + Math.max(0, e.getLocation() == null ? 0 : e.getLocation().getCharOffset()));
        } catch (IOException e) {
            throw new IllegalStateException("a string in memory", e);
        }
        return read;
    }

    private void readAll(JsonParser parser) throws IOException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            throw new FaultException("empty body");
        }
        if (first == JsonToken.START_OBJECT) {
            readFields(parser);
        } else if (first != JsonToken.VALUE_NULL) {
            throw new FaultException("body must be a JSON object");
        }
        if (parser.nextToken() != null) {
            throw new FaultException("body must contain a single JSON value");
        }
    }

    private void readFields(JsonParser parser) throws IOException {
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            Field field = field(name);
            if (!seen.add(field)) {
                throw new FaultException("field " + field.text() + " is given twice");
            }
            read(field, parser);
        }
    }

    private Field field(String name) {
        // The same object if it is in lower case.
        String lower = name.toLowerCase(Locale.ROOT);
        for (Field field : known) {
            if (field.text().equals(lower)) {
                return field;
            }
        }
        throw new FaultException("unknown field " + shortened(name));
    }

    private static String shortened(String name) {
        return name.length() <= MAX_NAME_CHARS ? name : name.substring(0, MAX_NAME_CHARS) + "...";
    }

    private void read(Field field, JsonParser parser) throws IOException {
        JsonToken value = parser.nextToken();
        if (value == JsonToken.VALUE_NULL) {
            return;
        }
        if (field == Field.TOKEN) {
            if (value != JsonToken.VALUE_STRING) {
                throw new FaultException("token must be a string");
            }
            token = parser.getText();
        } else {
            if (value != JsonToken.VALUE_NUMBER_INT) {
                throw new FaultException(field.text() + " must be an integer");
            }
            if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                throw new FaultException(field.text() + " does not fit 64 bits");
            }
            numbers[field.ordinal()] = parser.getLongValue();
        }
    }

    /** 0 if it was not given. */
    long number(Field field) {
        return numbers[field.ordinal()];
    }

    /** Empty if it was not given. */
    String token() {
        return token;
    }
}
