package io.flockgate.gateway.rest;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a request for a new session (protocol-docs/rest-api.md, "Sessions"). dflockd
 * does not read that body, so only the three fields that are known here can be wrong, and
 * everything else counts as no body. On one thread.
 */
public final class SessionBody {
    private static final Set<String> FIELDS = Set.of("name", "detached", "losses");

    private final Set<String> seen = new HashSet<>();
    private @Nullable String name;
    private boolean detached;
    private @Nullable String losses;

    private SessionBody() {}

    /** Reads what a body says about the client. */
    public static ClientInfo read(byte[] body) {
        SessionBody read = new SessionBody();
        try (JsonParser parser = LockBody.JSON.createParser(new String(body, StandardCharsets.UTF_8))) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                read.readFields(parser);
            }
        } catch (JsonProcessingException e) {
            return ClientInfo.NONE;
        } catch (IOException e) {
            throw new IllegalStateException("a string in memory", e);
        }
        return new ClientInfo(read.name, read.detached, false, read.losses);
    }

    private void readFields(JsonParser parser) throws IOException {
        for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            String known = field.toLowerCase(Locale.ROOT);
            if (FIELDS.contains(known) && !seen.add(known)) {
                throw new FaultException("field " + known + " is given twice");
            }
            switch (known) {
                case "name" -> name = name(value, parser);
                case "detached" -> detached = isDetached(value);
                case "losses" -> losses = losses(value, parser);
                default -> parser.skipChildren();
            }
        }
    }

    private static @Nullable String name(JsonToken value, JsonParser parser) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        String given = value == JsonToken.VALUE_STRING ? parser.getText() : "";
        if (!ClientInfo.isName(given)) {
            throw new FaultException("name must be a string of 1 to " + ClientInfo.MAX_NAME_BYTES
                    + " bytes of printable characters without white space");
        }
        return given;
    }

    private static boolean isDetached(JsonToken value) {
        if (value == JsonToken.VALUE_TRUE) {
            return true;
        }
        if (value == JsonToken.VALUE_FALSE || value == JsonToken.VALUE_NULL) {
            return false;
        }
        throw new FaultException("detached must be true or false");
    }

    private static @Nullable String losses(JsonToken value, JsonParser parser) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        String id = value == JsonToken.VALUE_STRING ? parser.getText() : "";
        boolean valid = !id.isEmpty()
                && id.length() <= ClientInfo.MAX_LOSSES_LENGTH
                && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (!valid) {
            throw new FaultException(
                    "losses must be a string of 1 to " + ClientInfo.MAX_LOSSES_LENGTH + " visible ASCII characters");
        }
        return id;
    }
}
