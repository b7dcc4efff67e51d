package io.flockgate.gateway.config;

import io.flockgate.gateway.config.OptionSources.Given;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the authentication token. The first source that is given wins: flag, file named by flag, variable, file named by
 * variable. A blank source is refused, even where another one wins. No message shows any part of a token.
 */
final class AuthTokens {
    /** A source that was given; its text is the token or the name of a file. */
    private record Source(Given given, boolean isFile) {}

    private final TokenFile files;

    AuthTokens(TokenFile files) {
        this.files = files;
    }

    Optional<AuthToken> find(OptionSources sources) {
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
