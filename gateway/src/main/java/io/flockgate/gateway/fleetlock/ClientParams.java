package io.flockgate.gateway.fleetlock;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.text.Utf8;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.jackson.JacksonCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The client and its group, as the body of a request names them (protocol-docs/fleetlock.md,
 * "Requests"). Other members of the body are ignored.
 *
 * @param id 1 to 256 bytes of UTF-8 without control characters
 * @param group letters, digits, dots and hyphens
 */
public record ClientParams(String id, String group) {
    /** The maximum length of a body. */
    public static final int MAX_BODY_BYTES = 16 * 1024;

    /** The maximum length of an id. */
    public static final int MAX_ID_BYTES = 256;

    private static final int MAX_NESTING = 100;
    private static final Pattern GROUP = Pattern.compile("[a-zA-Z0-9.-]+");
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            // A table would forever keep each name that a client sends.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_NESTING).build())
            .build();

    /** The result of reading a body. */
    public sealed interface ParseResult {
        record Parsed(ClientParams params) implements ParseResult {}

        record Rejected(Answer answer) implements ParseResult {}
    }

    /** Reads a body. The value of a refusal repeats nothing from the body. */
    public static ParseResult read(byte[] body) {
        String text = Utf8.decode(body);
        if (text == null) {
            return invalid("body is not UTF-8");
        }
        Object read;
        try (JsonParser parser = JSON.createParser(text)) {
            read = JacksonCodec.fromParser(parser, Object.class);
        } catch (IOException | DecodeException e) {
            return invalid("body is not one valid JSON value, or names a member twice");
        }
        if (!(read instanceof JsonObject object)) {
            return invalid("body must be a JSON object");
        }
        return switch (object.getValue("client_params")) {
            case null -> invalid("client_params is missing");
            case JsonObject params -> check(params.getValue("id"), params.getValue("group"));
            case Object other -> invalid("client_params must be an object");
        };
    }

    private static ParseResult check(@Nullable Object id, @Nullable Object group) {
        if (!(id instanceof String name) || !isId(name)) {
            return refused(
                    AnswerKind.INVALID_ID,
                    "client_params.id must be text of 1 to " + MAX_ID_BYTES + " bytes without control characters");
        }
        if (!(group instanceof String word) || !GROUP.matcher(word).matches()) {
            return refused(
                    AnswerKind.INVALID_GROUP, "client_params.group must be text of letters, digits, '.' and '-'");
        }
        return new ParseResult.Parsed(new ClientParams(name, word));
    }

    /**
     * Whether the text is a valid id. JSON can contain halves of surrogate pairs, which UTF-8
     * cannot encode.
     */
    public static boolean isId(String text) {
        return !text.isEmpty()
                && StandardCharsets.UTF_8.newEncoder().canEncode(text)
                && text.getBytes(StandardCharsets.UTF_8).length <= MAX_ID_BYTES
                && text.codePoints().noneMatch(Character::isISOControl);
    }

    private static ParseResult invalid(String value) {
        return refused(AnswerKind.INVALID_BODY, value);
    }

    private static ParseResult refused(AnswerKind kind, String value) {
        return new ParseResult.Rejected(new Answer(kind, value));
    }
}
