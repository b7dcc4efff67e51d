package io.flockgate.gateway.rights;

import io.flockgate.gateway.limits.Gate;
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
        String name,
        Rights rights,
        byte @Nullable [] sha256,
        @Nullable String certificate) {
    /** The sender of a request for a path that needs no token. */
    public static final NamedToken NONE = new NamedToken("", Rights.NONE, null, null);

    /** The token that {@code --auth-token} gives, which has all rights. */
    public static NamedToken authToken(byte[] sha256) {
        return new NamedToken(Gate.SHARED_TOKEN, Rights.ALL, sha256, null);
    }

    /** The rights that hide keys from its client; null if it may see all. */
    public @Nullable Rights hidingKeys() {
        return rights.mayReadEverything() ? null : rights;
    }

    @Override
    public String toString() {
        return "NamedToken[" + name + "]";
    }
}
