package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.environment.Environment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A source of the ACL token. Safe from any thread. */
public interface TokenSource {
    /** The token to send now; null for none. */
    @Nullable
    String token();

    /** Consul has refused the token that was sent last. */
    default void refused() {}

    /** No token: what Consul allows everybody. */
    static TokenSource none() {
        return () -> null;
    }

    /**
     * Always this token.
     *
     * @throws IllegalArgumentException when it is no token
     */
    static TokenSource of(String token) {
        String checked = TokenFile.checked(token);
        return () -> checked;
    }

    /**
     * What a file says, read again when the file changes. While it cannot be read, or has no token, the last one stays.
     *
     * @throws IllegalArgumentException when it cannot be read, or has no token, now
     */
    static TokenSource file(Environment environment, Path file) {
        return new TokenFile(environment, file);
    }
}
