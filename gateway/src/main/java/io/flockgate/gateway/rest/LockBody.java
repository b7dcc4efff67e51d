package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The body of a request for a lock or a semaphore, which must be one JSON object
 * (protocol-docs/rest-api.md, "Bodies"). Field names are case-insensitive. A null or missing field
 * has the zero value. Integers must be written as integers. Fields are checked in the order of the
 * request (protocol-docs/rest-api.md, "Order of checks"). On one thread.
 */
@SuppressWarnings("EnumOrdinal") // tables by field, in memory only
public final class LockBody {
    /** For bodies of all kinds. */
    static final JsonFactory JSON = new JsonFactoryBuilder()
            // Otherwise each field name that clients send would stay in a table forever.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /** The part of an unknown field's name that a reply repeats. */
    private static final int MAX_NAME_CHARS = 64;

    private static final int MAX_TOKEN_BYTES = 256;
    private static final byte[] NOTHING = {'{', '}'};
    private static final Set<Field> ACQUIRE_LOCK = EnumSet.of(Field.ACQUIRE_TIMEOUT, Field.LEASE);
    private static final Set<Field> ACQUIRE_SEM = EnumSet.of(Field.ACQUIRE_TIMEOUT, Field.LIMIT, Field.LEASE);
    private static final Set<Field> ENQUEUE_LOCK = EnumSet.of(Field.LEASE);
    private static final Set<Field> ENQUEUE_SEM = EnumSet.of(Field.LIMIT, Field.LEASE);
    private static final Set<Field> WAIT = EnumSet.of(Field.TIMEOUT);
    private static final Set<Field> RELEASE = EnumSet.of(Field.TOKEN);
    private static final Set<Field> RENEW = EnumSet.of(Field.TOKEN, Field.LEASE);

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

    /** The operations that the routes of locks and those of semaphores share. */
    public enum LockOperation {
        ACQUIRE,
        ENQUEUE,
        WAIT,
        RELEASE,
        RENEW
    }

    /** The key of these bytes. */
    public static Key key(byte[] bytes) {
        Key key = Key.copyOf(bytes, 0, bytes.length);
        if (key == null) {
            throw new FaultException(
                    bytes.length == 0
                            ? "empty key"
                            : bytes.length > Key.MAX_BYTES
                                    ? "key too long (max 256 bytes)"
                                    : "key contains whitespace");
        }
        return key;
    }

    /**
     * Reads a request.
     *
     * @param defaultLeaseSeconds the lease of a grant whose request names none
     */
    public static LockRequest read(LockOperation operation, Kind kind, Key key, byte[] body, long defaultLeaseSeconds) {
        boolean lock = kind == Kind.LOCK;
        return switch (operation) {
            case ACQUIRE -> {
                LockBody read = of(body, lock ? ACQUIRE_LOCK : ACQUIRE_SEM);
                long timeout = read.seconds(Field.ACQUIRE_TIMEOUT);
                yield new LockRequest.Acquire(read.claim(key, kind, timeout > 0, defaultLeaseSeconds), timeout);
            }
            case ENQUEUE -> {
                LockBody read = of(lock && body.length == 0 ? NOTHING : body, lock ? ENQUEUE_LOCK : ENQUEUE_SEM);
                yield new LockRequest.Enqueue(read.claim(key, kind, true, defaultLeaseSeconds));
            }
            case WAIT -> new LockRequest.Wait(key, of(body, WAIT).seconds(Field.TIMEOUT));
            case RELEASE -> new LockRequest.Release(key, of(body, RELEASE).validToken());
            case RENEW -> {
                LockBody read = of(body, RENEW);
                yield new LockRequest.Renew(key, read.validToken(), read.lease(defaultLeaseSeconds));
            }
        };
    }

    private Claim claim(Key key, Kind kind, boolean mayQueue, long defaultLeaseSeconds) {
        long limit = kind == Kind.LOCK ? 1 : number(Field.LIMIT);
        if (limit < 1) {
            throw new FaultException("limit must be > 0");
        }
        return new Claim(key, kind, limit, lease(defaultLeaseSeconds), mayQueue);
    }

    private long lease(long defaultSeconds) {
        long seconds = seconds(Field.LEASE);
        return seconds == 0 ? defaultSeconds : seconds;
    }

    private long seconds(Field field) {
        long seconds = number(field);
        if (seconds < 0) {
            throw new FaultException(field.text() + " must be >= 0");
        }
        if (seconds > Claim.MAX_SECONDS) {
            throw new FaultException(field.text() + " too large");
        }
        return seconds;
    }

    /**
     * Text that does not have the form of Flockgate's tokens is valid, but no grant has such a
     * token.
     */
    private Token validToken() {
        byte[] text = token.getBytes(StandardCharsets.UTF_8);
        if (text.length == 0) {
            throw new FaultException("token required");
        }
        if (text.length > MAX_TOKEN_BYTES) {
            throw new FaultException("token too long (max 256 bytes)");
        }
        for (byte b : text) {
            if (b == ' ' || b == '\t' || b == '\n' || b == '\r') {
                throw new FaultException("token contains whitespace");
            }
        }
        return Token.parse(text, 0, text.length);
    }

    private LockBody(Set<Field> known) {
        this.known = known;
    }

    /** Reads a body that may have these fields and no others. */
    static LockBody of(byte[] body, Set<Field> known) {
        LockBody read = new LockBody(known);
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
