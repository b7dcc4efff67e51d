package io.flockgate.gateway.http;

import io.flockgate.gateway.stats.JsonWriter;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * An answer to a request, as a value. Immutable.
 *
 * @param headers of this reply alone; usually empty
 * @param last whether the connection ends with it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Reply(int status, BodyType type, List<Header> headers, byte[] body, boolean last) {
    /** A line of the head. */
    public record Header(CharSequence name, CharSequence value) {}

    /** The values of the header {@code Content-Type}. */
    public enum BodyType {
        NONE(""),
        JSON("application/json"),
        METRICS("text/plain; version=0.0.4; charset=utf-8"),
        HTML("text/html; charset=utf-8"),
        CSS("text/css; charset=utf-8"),
        EVENTS("text/event-stream"),
        SCRIPT("text/javascript; charset=utf-8");

        @SuppressWarnings("ImmutableEnumChecker") // never changed
        private final CharSequence text;

        BodyType(String text) {
            this.text = HttpHeaders.createOptimized(text);
        }

        CharSequence text() {
            return text;
        }
    }

    public static final Reply NO_CONTENT = new Reply(204, BodyType.NONE, List.of(), new byte[0], false);

    /** A JSON text, which gets a line feed at its end. */
    public static Reply json(int status, String json) {
        return json(status, bytes(json + "\n"));
    }

    /** A body that Jackson's generator writes. It gets a line feed at its end. */
    public static Reply json(int status, JsonWriter.Content content) {
        return json(status, JsonWriter.document(json -> {
            content.writeTo(json);
            json.writeRaw('\n');
        }));
    }

    /** An object with two strings, which are quoted as needed. */
    public static Reply json(int status, String name1, String value1, String name2, String value2) {
        return json(status, json -> {
            json.writeStartObject();
            json.writeStringField(name1, value1);
            json.writeStringField(name2, value2);
            json.writeEndObject();
        });
    }

    /** A complete JSON text with a line feed at its end. */
    public static Reply json(int status, byte[] json) {
        return new Reply(status, BodyType.JSON, List.of(), json, false);
    }

    /** The same reply with one more header. */
    public Reply with(String name, String value) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new Reply(status, type, List.copyOf(more), body, last);
    }

    /** The same reply as the last of its connection. */
    public Reply asLast() {
        return new Reply(status, type, headers, body, true);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The replies of one protocol to failures of the body, the server and the storage.
     *
     * @param maxBodyBytes the maximum length of a body
     * @param faults makes the reply to a request that cannot be carried out as it is, or whose body
     *     has not fully arrived
     * @param overloaded the reply when too many large bodies are in progress
     */
    public record ErrorReplies(
            int maxBodyBytes,
            Reply bodyTooLarge,
            Function<String, Reply> faults,
            Reply overloaded,
            Reply internal,
            Reply storageUnavailable) {}
}
