package io.flockgate.gateway.rights;

import io.flockgate.gateway.limits.Gate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A token that clients may present: a secret, of which only the hash is known, or a certificate, or
 * either.
 *
 * @param sha256 the SHA-256 of the secret; null without a secret
 * @param certificate the name in the certificate; null without one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record NamedToken(
        Principal principal,
        byte @Nullable [] sha256,
        @Nullable String certificate) {
    /** The name of the token that {@code --auth-token} gives. */
    public static final String AUTH_TOKEN = Gate.SHARED_TOKEN;

    private static final Pattern NAME = Pattern.compile("[!-~]{1,64}");

    /** A token with a secret only. */
    public NamedToken(Principal principal, byte[] sha256) {
        this(principal, sha256, null);
    }

    /** The token that {@code --auth-token} gives, which has all rights. */
    public static NamedToken authToken(byte[] sha256) {
        return new NamedToken(new Principal(AUTH_TOKEN, Rights.ALL), sha256);
    }

    /** Whether a token may have this name: 1 to 64 printable ASCII characters without blanks. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    String name() {
        return principal.name();
    }

    @Override
    public String toString() {
        return "NamedToken[" + name() + "]";
    }
}
