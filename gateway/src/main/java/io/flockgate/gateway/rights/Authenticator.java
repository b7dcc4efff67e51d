package io.flockgate.gateway.rights;

import io.flockgate.gateway.log.Audit;
import java.util.function.BooleanSupplier;

/**
 * The tokens that clients must present. They may be replaced at any time; even if none is left,
 * every client must present one. A gateway without tokens has no authenticator. Thread safe.
 */
public final class Authenticator {
    private final Audit audit;
    private volatile Tokens tokens;

    /**
     * @param audit logs what the rights of a token refuse
     */
    public Authenticator(Tokens tokens, Audit audit) {
        this.tokens = tokens;
        this.audit = audit;
    }

    public Audit audit() {
        return audit;
    }

    /** The current tokens, which are another object after each change. */
    public Tokens tokens() {
        return tokens;
    }

    void replace(Tokens others) {
        tokens = others;
    }

    /**
     * Returns a check that is true until the tokens change. It is never true if they have already
     * changed since this token was found, because its rights may have changed with them.
     */
    @SuppressWarnings("ReferenceEquality") // the tokens are another object after each change
    public BooleanSupplier unchanged(NamedToken token) {
        Tokens now = tokens;
        boolean known = now.has(token);
        return () -> known && tokens == now;
    }
}
