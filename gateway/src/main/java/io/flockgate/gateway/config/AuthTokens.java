package io.flockgate.gateway.config;

import io.flockgate.gateway.config.AuthConfig.TokensSource;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.TokensFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Arguments.Given;
import io.flockgate.options.OptionException;
import io.flockgate.text.Quoting;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the tokens: the one with all rights, and the file of named ones. For the former, the first
 * given source wins: flag, file named by flag, variable, file named by variable. A blank source is
 * refused, even if another one wins. No message shows any part of a token.
 */
final class AuthTokens {
    /** A source that was given; its text is the token or the name of a file. */
    private record Source(Given given, boolean isFile) {}

    private final TokenFile files;

    AuthTokens(TokenFile files) {
        this.files = files;
    }

    AuthConfig find(Arguments sources) {
        Optional<AuthToken> token = token(sources);
        Optional<Given> file = sources.given(GatewayOptions.TOKENS_FILE);
        return new AuthConfig(token, file.map(given -> tokensFile(given, new AuthConfig(token, Optional.empty()))));
    }

    private TokensSource tokensFile(Given given, AuthConfig other) {
        Secrets.refuseBlank(given);
        try {
            Path path = Path.of(given.text());
            byte[] content = files.read(path, TokensFile.MAX_BYTES);
            return new TokensSource(path, Tokens.ofFile(other.named(), content));
        } catch (IOException | InvalidPathException e) {
            throw Secrets.unreadable(given.name(), given.text(), e);
        } catch (IllegalArgumentException e) {
            throw new OptionException(given.name() + ": " + Quoting.quoted(given.text()) + ", " + e.getMessage());
        }
    }

    private Optional<AuthToken> token(Arguments sources) {
        List<Source> given = Stream.of(
                        source(sources.onCommandLine(GatewayOptions.AUTH_TOKEN), false),
                        source(sources.onCommandLine(GatewayOptions.AUTH_TOKEN_FILE), true),
                        source(sources.inEnvironment(GatewayOptions.AUTH_TOKEN), false),
                        source(sources.inEnvironment(GatewayOptions.AUTH_TOKEN_FILE), true))
                .flatMap(Optional::stream)
                .toList();
        given.forEach(source -> Secrets.refuseBlank(source.given));
        return given.stream().findFirst().map(this::token);
    }

    private static Optional<Source> source(Optional<Given> given, boolean isFile) {
        return given.map(found -> new Source(found, isFile));
    }

    private AuthToken token(Source source) {
        return new AuthToken(source.isFile ? Secrets.inFile(source.given, files) : Secrets.inText(source.given));
    }
}
