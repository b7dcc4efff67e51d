package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.environment.Environment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A source of the ACL token. Thread safe. */
public interface TokenSource {
    /** The token to send now; null for none. */
    @Nullable
    String token();

    /** Records that Consul has refused the token. */
    default void refused() {}

    /** A source without a token, for the rights that Consul grants to every client. */
    static TokenSource none() {
        return () -> null;
    }

    /**
     * A source of one token.
     *
     * @throws IllegalArgumentException when the text is not a token
     */
    static TokenSource of(String token) {
        String checked = ReloadedToken.checked(token);
        return () -> checked;
    }

    /**
     * The token in a file, which is read again when it changes. While the file has no valid token,
     * its last token stays in use.
     *
     * @throws IllegalArgumentException when the file has no valid token now
     */
    static TokenSource file(Environment environment, Path file) {
        return new ReloadedToken(environment, file);
    }
}
