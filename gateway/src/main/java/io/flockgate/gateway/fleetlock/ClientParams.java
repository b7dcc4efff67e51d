package io.flockgate.gateway.fleetlock;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.flockgate.gateway.fleetlock.Answer.AnswerKind;
import io.flockgate.text.Utf8;
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
        try (JsonParser parser = JSON.createParser(text)) {
            return read(parser);
        } catch (IOException e) {
            return invalid("body is not valid JSON, or names a member twice");
        }
    }

    private static ParseResult read(JsonParser parser) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            return invalid("body must be a JSON object");
        }
        ParseResult result = invalid("client_params is missing");
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (name.equals("client_params")) {
                result = value == JsonToken.START_OBJECT ? params(parser) : invalid("client_params must be an object");
            }
            parser.skipChildren();
        }
        return parser.nextToken() == null ? result : invalid("body must be a single JSON object");
    }

    private static ParseResult params(JsonParser parser) throws IOException {
        String id = null;
        String group = null;
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            String text = value == JsonToken.VALUE_STRING ? parser.getText() : null;
            switch (name) {
                case "id" -> id = text;
                case "group" -> group = text;
                default -> {} // ignored
            }
            parser.skipChildren();
        }
        return check(id, group);
    }

    private static ParseResult check(@Nullable String id, @Nullable String group) {
        if (id == null || !isId(id)) {
            return refused(
                    AnswerKind.INVALID_ID,
                    "client_params.id must be text of 1 to " + MAX_ID_BYTES + " bytes without control characters");
        }
        if (group == null || !GROUP.matcher(group).matches()) {
            return refused(
                    AnswerKind.INVALID_GROUP, "client_params.group must be text of letters, digits, '.' and '-'");
        }
        return new ParseResult.Parsed(new ClientParams(id, group));
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
