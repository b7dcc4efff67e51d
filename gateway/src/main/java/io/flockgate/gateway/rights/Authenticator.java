package io.flockgate.gateway.rights;

import org.jspecify.annotations.Nullable;

/** Tells who a client is by the secret that it presents. The tokens may be replaced at any time. Thread safe. */
public final class Authenticator {
    /** The authenticator of a gateway without tokens. */
    public static final Authenticator OPEN = new Authenticator(false, Tokens.NONE);

    private final boolean required;
    private volatile Tokens tokens;

    private Authenticator(boolean required, Tokens tokens) {
        this.required = required;
        this.tokens = tokens;
    }

    /** An authenticator that lets nobody in without a token. */
    public static Authenticator of(Tokens tokens) {
        return new Authenticator(true, tokens);
    }

    /** Whether a client must present a token. It must also if no token is left. */
    public boolean isRequired() {
        return required;
    }

    /** The tokens of now. They are another object after each change. */
    public Tokens tokens() {
        return tokens;
    }

    void replace(Tokens others) {
        tokens = others;
    }

    /** The token with this secret; null for an unknown one. */
    public @Nullable Principal find(byte[] secret) {
        return tokens.find(hash(secret));
    }

    /** The hash by which {@link Tokens#find} knows the secret. */
    public static byte[] hash(byte[] secret) {
        return Sha256.of(secret);
    }
}
