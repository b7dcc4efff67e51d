package io.flockgate.gateway.config;

import io.flockgate.gateway.config.Sources.Given;
import java.util.Optional;

/**
 * Finds the ACL token for Consul: one source, of the command line if there is one, else of the environment. No message
 * holds any of a token.
 */
final class ConsulTokens {
    /**
     * What was found.
     *
     * @param isFile whether the text is the name of a file, not the token
     */
    record Token(String text, boolean isFile) {
        @Override
        public String toString() {
            return "Token[isFile=" + isFile + "]";
        }
    }

    private final TokenFile files;

    ConsulTokens(TokenFile files) {
        this.files = files;
    }

    Optional<Token> find(Sources sources) {
        return one(sources.onCommandLine(ConsulSettings.TOKEN), sources.onCommandLine(ConsulSettings.TOKEN_FILE))
                .or(() -> one(
                        sources.inEnvironment(ConsulSettings.TOKEN), sources.inEnvironment(ConsulSettings.TOKEN_FILE)));
    }

    private Optional<Token> one(Optional<Given> token, Optional<Given> file) {
        if (token.isPresent() && file.isPresent()) {
            throw new ConfigException(token.get().name() + " and " + file.get().name() + " must not both be given");
        }
        return token.map(given -> new Token(printable(given, Secrets.inText(given)), false))
                .or(() -> file.map(this::checked));
    }

    private Token checked(Given file) {
        String unused = printable(file, Secrets.inFile(file, files));
        return new Token(file.text(), true);
    }

    /** What a header can carry. */
    private static String printable(Given given, String token) {
        if (token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new ConfigException(given.name() + ": the token must be printable ASCII without spaces");
        }
        return token;
    }
}
