package io.flockgate.gateway.config;

import io.flockgate.gateway.rights.NamedToken;
import io.flockgate.gateway.rights.Tokens;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that clients may present. Safe to print.
 *
 * @param token the token with all rights
 * @param file the file of named tokens, read and checked
 */
public record AuthConfig(Optional<AuthToken> token, Optional<TokensSource> file) {
    /** No token: every client may do everything. */
    public static final AuthConfig NONE = new AuthConfig(Optional.empty(), Optional.empty());

    /**
     * A file of tokens, as it was at the start.
     *
     * @param tokens its tokens, with {@link AuthConfig#token}
     */
    public record TokensSource(Path path, Tokens tokens) {
        @Override
        public String toString() {
            return path + " (" + tokens.names() + ")";
        }
    }

    /** Whether clients must present a token. */
    public boolean isRequired() {
        return token.isPresent() || file.isPresent();
    }

    /** The token with all rights as a named one; null without it. */
    public @Nullable NamedToken named() {
        AuthToken present = token.orElse(null);
        return present == null ? null : NamedToken.authToken(present.sha256());
    }
}
