package io.flockgate.gateway.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Token files for tests. The secret of a token is {@code secret-of-} and its name. */
public final class TokensFixture {
    /** The tokens of the matrices, each named after its rights. */
    public static final Map<String, List<String>> EACH_RIGHT = rights();

    private TokensFixture() {}

    private static Map<String, List<String>> rights() {
        Map<String, List<String>> rights = new LinkedHashMap<>();
        rights.put("locker", List.of("lock:ci/*"));
        rights.put("exact", List.of("lock:ci/job"));
        rights.put("reader", List.of("read"));
        rights.put("ci-reader", List.of("read:ci/*"));
        rights.put("scraper", List.of("metrics"));
        rights.put("operator", List.of("operate"));
        rights.put("fleet", List.of("fleetlock:a"));
        rights.put("everything", List.of("all"));
        return rights;
    }

    public static String secretOf(String token) {
        return "secret-of-" + token;
    }

    /** The content of a file with these tokens. */
    public static String file(Map<String, List<String>> tokens) {
        return tokens.entrySet().stream()
                .map(token -> "{\"name\":\"%s\",\"sha256\":\"%s\",\"allow\":[%s]}"
                        .formatted(token.getKey(), hash(secretOf(token.getKey())), quoted(token.getValue())))
                .collect(Collectors.joining(",\n", "{\"tokens\":[", "]}"));
    }

    private static String quoted(List<String> rights) {
        return rights.stream().map(right -> '"' + right + '"').collect(Collectors.joining(","));
    }

    private static String hash(String secret) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes a file with these tokens, and returns the flag that names it. */
    public static String flag(Path directory, Map<String, List<String>> tokens) throws IOException {
        return "--tokens-file=" + Files.writeString(directory.resolve("tokens.json"), file(tokens));
    }

    /** The header of a request with this token. */
    public static String bearer(String token) {
        return "Authorization: Bearer " + secretOf(token) + "\r\n";
    }
}
