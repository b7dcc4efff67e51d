package io.flockgate.gateway.rights;

import java.security.MessageDigest;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a client by the secret that it presents, or by its certificate. The tokens may be
 * replaced at any time. Thread safe.
 */
public final class Authenticator {
    /** The authenticator of a gateway without tokens. */
    public static final Authenticator OPEN = new Authenticator(false, Tokens.NONE);

    private final boolean required;
    private volatile Tokens tokens;

    /**
     * The last secret that matched a token. HTTP clients present one in each request, and often all
     * clients have the same.
     */
    private volatile @Nullable Found last;

    @SuppressWarnings("ArrayRecordComponent") // compared in constant time only
    private record Found(byte[] secret, Tokens tokens, Principal principal) {
        @Override
        public String toString() {
            return "Found[hidden]";
        }
    }

    private Authenticator(boolean required, Tokens tokens) {
        this.required = required;
        this.tokens = tokens;
    }

    /** An authenticator that refuses every client without a token. */
    public static Authenticator of(Tokens tokens) {
        return new Authenticator(true, tokens);
    }

    /** Whether a client must present a token. It must even if no token is left. */
    public boolean isRequired() {
        return required;
    }

    /** The current tokens, which are another object after each change. */
    public Tokens tokens() {
        return tokens;
    }

    /**
     * Returns a check that is true until the tokens change. It is never true if they have already
     * changed since this principal was found, because its rights may have changed with them.
     */
    @SuppressWarnings("ReferenceEquality") // the tokens are another object after each change
    public BooleanSupplier unchanged(Principal principal) {
        Tokens now = tokens;
        boolean known = !required || now.has(principal);
        return () -> known && tokens == now;
    }

    void replace(Tokens others) {
        tokens = others;
    }

    /** The token with this secret; null for an unknown one. */
    @SuppressWarnings("ReferenceEquality") // the tokens are another object after each change
    public @Nullable Principal find(byte[] secret) {
        Tokens now = tokens;
        Found before = last;
        if (before != null && before.tokens() == now && MessageDigest.isEqual(before.secret(), secret)) {
            return before.principal();
        }
        Principal found = now.find(Sha256.of(secret));
        if (found != null) {
            last = new Found(secret.clone(), now, found);
        }
        return found;
    }

    /**
     * The client whose verified certificate has this name; null for one that must present a token.
     * Where no token is needed, the name itself becomes that of the client.
     *
     * @param certificate empty for none
     */
    public @Nullable Principal ofCertificate(String certificate) {
        if (required) {
            return certificate.isEmpty() ? null : tokens.ofCertificate(certificate);
        }
        return NamedToken.isName(certificate) ? new Principal(certificate, Rights.ALL) : Principal.ANYBODY;
    }
}
