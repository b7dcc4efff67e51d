package io.flockgate.gateway.config;

import io.flockgate.gateway.config.Sources.Given;
import io.flockgate.gateway.log.Quoting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the authentication token. The first source that is given wins: flag, file named by flag, variable, file named by
 * variable. A given source that is blank is refused even when another one wins. No message holds any of a token.
 */
final class AuthTokens {
    private static final int REPLACEMENT = 0xFFFD;

    /** A source that was given, and whether its text is the name of a file. */
    private record Source(Given given, boolean isFile) {}

    private final TokenFile files;

    AuthTokens(TokenFile files) {
        this.files = files;
    }

    Optional<AuthToken> find(Sources sources) {
        List<Source> given = Stream.of(
                        source(sources.onCommandLine(Settings.AUTH_TOKEN), false),
                        source(sources.onCommandLine(Settings.AUTH_TOKEN_FILE), true),
                        source(sources.inEnvironment(Settings.AUTH_TOKEN), false),
                        source(sources.inEnvironment(Settings.AUTH_TOKEN_FILE), true))
                .flatMap(Optional::stream)
                .toList();
        given.forEach(AuthTokens::refuseBlank);
        return given.stream().findFirst().map(this::token);
    }

    private static Optional<Source> source(Optional<Given> given, boolean isFile) {
        return given.map(found -> new Source(found, isFile));
    }

    private static void refuseBlank(Source source) {
        if (trim(source.given.text()).isEmpty()) {
            throw new ConfigException(source.given.name() + " must not be blank");
        }
    }

    private AuthToken token(Source source) {
        String name = source.given.name();
        String text = source.isFile ? content(name, source.given.text()) : source.given.text();
        String token = trim(text);
        if (token.isEmpty()) {
            throw new ConfigException(name + ": the file is empty");
        }
        if (token.indexOf('\n') >= 0 || token.indexOf('\r') >= 0) {
            throw new ConfigException(name + ": the token must not contain a line break");
        }
        if (!source.isFile && token.indexOf(REPLACEMENT) >= 0) {
            throw new ConfigException(name + ": the token has characters that this locale cannot read; use a file");
        }
        if (token.getBytes(StandardCharsets.UTF_8).length > AuthToken.MAX_BYTES) {
            throw new ConfigException(tooLong(name));
        }
        return new AuthToken(token);
    }

    private String content(String name, String file) {
        try {
            byte[] bytes = files.read(Path.of(file));
            if (bytes.length > AuthToken.MAX_BYTES) {
                throw new ConfigException(tooLong(name));
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ConfigException(name + ": the file is not UTF-8 text");
        } catch (IOException | InvalidPathException e) {
            throw new ConfigException(name + ": cannot read " + Quoting.quoted(file) + ": " + reason(e));
        }
    }

    private static String tooLong(String name) {
        return name + ": the token is longer than " + AuthToken.MAX_BYTES + " bytes";
    }

    private static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof InvalidPathException ? "not a path" : Quoting.quoted(String.valueOf(e.getMessage()));
    }

    /** Without Unicode white space at both ends, as the line protocol trims what clients send. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isBlank(text.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isBlank(char c) {
        return (c >= '\t' && c <= '\r') || c == '\u0085' || Character.isSpaceChar(c);
    }
}
