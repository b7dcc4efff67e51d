package io.flockgate.gateway.rights;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.text.Quoting;
import io.flockgate.text.Sha256;
import io.flockgate.text.Suggestion;
import io.flockgate.text.Utf8;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of tokens: {@code {"tokens":[{"name":"ci","sha256":"…","allow":["lock:ci/*"]}]}}. The
 * reader refuses unknown content. A message names the line and the token, but never repeats a value
 * that might be a secret.
 */
public final class TokensFile {
    /** Maximum length of a file. */
    public static final int MAX_BYTES = 1 << 20;

    private static final int MAX_TOKENS = 1000;
    private static final int MAX_RIGHTS = 100;
    private static final int MAX_NESTING = 10;
    private static final String HASH_OF_NOTHING = Sha256.hex();
    private static final String HASH_OF_NEW_LINE = Sha256.hex(new byte[] {'\n'});
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_NESTING).build())
            .build();

    private final JsonParser json;
    private final List<NamedToken> tokens = new ArrayList<>();
    private final Set<String> names = new HashSet<>();

    /** The number of the token that is being read, starting at 1; 0 outside a token. */
    private int number;

    private @Nullable String name;

    private TokensFile(JsonParser json) {
        this.json = json;
    }

    /**
     * Reads the content of a file.
     *
     * @throws IllegalArgumentException with a message for an operator
     */
    public static List<NamedToken> read(byte[] content) {
        if (content.length > MAX_BYTES) {
            throw new IllegalArgumentException("the file is longer than 1 MiB");
        }
        String text = Utf8.decode(content);
        if (text == null) {
            throw new IllegalArgumentException("the file is not UTF-8 text");
        }
        try (JsonParser json = JSON.createParser(text)) {
            TokensFile file = new TokensFile(json);
            try {
                return file.read();
            } catch (IOException e) {
                throw file.fault("not valid JSON, or a field twice");
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("the file is not JSON", e);
        }
    }

    /**
     * The entry of a token with a secret.
     *
     * @throws IllegalArgumentException with a message for an operator, for the first text that is
     *     not a right
     */
    public static String entry(String name, String secret, List<String> allow) {
        Rights unused = Rights.of(allow);
        return new JsonObject()
                .put("name", name)
                .put("sha256", Sha256.hex(secret.getBytes(StandardCharsets.US_ASCII)))
                .put("allow", new JsonArray(allow))
                .encode();
    }

    private List<NamedToken> read() throws IOException {
        boolean found = false;
        expect(json.nextToken() == JsonToken.START_OBJECT, "the file must be a JSON object {\"tokens\":[…]}");
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            expect(field.equals("tokens"), unknownField(field, "tokens"));
            readTokens();
            found = true;
        }
        expect(found, "the field \"tokens\" is missing");
        expect(json.nextToken() == null, "there is something behind the JSON object");
        return List.copyOf(tokens);
    }

    private void readTokens() throws IOException {
        expect(json.nextToken() == JsonToken.START_ARRAY, "\"tokens\" must be an array");
        while (json.nextToken() != JsonToken.END_ARRAY) {
            number++;
            expect(json.currentToken() == JsonToken.START_OBJECT, "a token must be a JSON object");
            expect(number <= MAX_TOKENS, "more than " + MAX_TOKENS + " tokens");
            readToken();
            name = null;
        }
        number = 0;
    }

    private void readToken() throws IOException {
        byte[] sha256 = null;
        String certificate = null;
        Rights rights = null;
        for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
            JsonToken value = json.nextToken();
            switch (field) {
                case "name" -> name = name(text(value));
                case "sha256" -> sha256 = hash(text(value));
                case "certificate" -> certificate = certificate(text(value));
                case "allow" -> rights = rights(value);
                default -> throw fault(unknownField(field, "name", "sha256", "certificate", "allow"));
            }
        }
        String found = name;
        if (found == null || (sha256 == null && certificate == null) || rights == null) {
            throw fault("a token needs \"name\", \"allow\", and \"sha256\" or \"certificate\"");
        }
        tokens.add(new NamedToken(found, rights, sha256, certificate));
    }

    /** The value; empty if it is not a string. */
    private String text(JsonToken value) throws IOException {
        return value == JsonToken.VALUE_STRING ? json.getText() : "";
    }

    private String name(String text) {
        expect(Actor.isName(text), "\"name\" must be 1 to 64 printable characters of ASCII without blanks");
        expect(!text.equals(Gate.SHARED_TOKEN), "the name \"auth-token\" is that of --auth-token");
        expect(names.add(text), "the name " + Quoting.quoted(text) + " is used twice");
        return text;
    }

    private String certificate(String text) {
        expect(text.matches("\\P{Cc}{1,253}"), "\"certificate\" must be 1 to 253 printable characters");
        return text;
    }

    private byte[] hash(String text) {
        expect(text.matches("[0-9a-fA-F]{64}"), "\"sha256\" must be 64 hex digits (flockgate token new makes them)");
        expect(!text.equalsIgnoreCase(HASH_OF_NOTHING), "\"sha256\" is the hash of nothing");
        expect(!text.equalsIgnoreCase(HASH_OF_NEW_LINE), "\"sha256\" is the hash of an empty line");
        return HexFormat.of().parseHex(text);
    }

    private Rights rights(JsonToken value) throws IOException {
        String form = "\"allow\" must be an array of at most " + MAX_RIGHTS + " rights: " + Rights.FORMS;
        expect(value == JsonToken.START_ARRAY, form);
        List<String> texts = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            expect(json.currentToken() == JsonToken.VALUE_STRING && texts.size() < MAX_RIGHTS, form);
            texts.add(json.getText());
        }
        try {
            return Rights.of(texts);
        } catch (IllegalArgumentException e) {
            throw fault(String.valueOf(e.getMessage()));
        }
    }

    private static String unknownField(String field, String... known) {
        String shown = field.length() <= 40 ? field : field.substring(0, 40) + "…";
        return "unknown field " + Quoting.quoted(shown) + Suggestion.of(field, Stream.of(known));
    }

    private void expect(boolean fulfilled, String otherwise) {
        if (!fulfilled) {
            throw fault(otherwise);
        }
    }

    private IllegalArgumentException fault(String words) {
        String token = number == 0 ? "" : ", token " + number + (name == null ? "" : " (" + name + ")");
        return new IllegalArgumentException("line " + json.currentLocation().getLineNr() + token + ": " + words);
    }
}
