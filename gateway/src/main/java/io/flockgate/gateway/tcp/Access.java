package io.flockgate.gateway.tcp;

import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.text.Sha256;
import io.vertx.core.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The token of one connection, or that of its certificate, and what it may do. When the tokens
 * change, the connection has the new rights starting with its next request. On one event loop.
 */
final class Access {
    private static final byte[] AUTH = "auth".getBytes(StandardCharsets.US_ASCII);

    /** Null where no token is configured, so that every client may do everything. */
    private final @Nullable Authenticator authenticator;

    private final LockSession session;
    private final SocketAddress peer;
    private final boolean required;
    private final String certificate;
    private byte @Nullable [] secretHash;
    private @Nullable Tokens tokens;

    /**
     * Null where no token is configured; one without rights before the client has presented its
     * own.
     */
    private @Nullable NamedToken token;

    /** Whether the next frame may present a token although the certificate suffices. */
    private boolean choosing;

    /**
     * @param certificate the name in the client's certificate; empty without one
     */
    Access(@Nullable Authenticator authenticator, LockSession session, SocketAddress peer, String certificate) {
        this.authenticator = authenticator;
        this.session = session;
        this.peer = peer;
        this.certificate = certificate;
        this.token = authenticator == null ? null : NamedToken.NONE;
        this.required = authenticator != null && !resolve(authenticator.tokens());
        this.choosing = !required && authenticator != null;
        if (authenticator == null && Actor.isName(certificate)) {
            session.client().setPrincipal(certificate);
        }
    }

    /** Whether the client must present a token. */
    boolean isRequired() {
        return required;
    }

    /**
     * Whether the frame must be an {@code auth}, or is an optional one: the first frame of a client
     * whose certificate suffices.
     */
    boolean isAuthFrame(LineDecoder frame, boolean isRequired) {
        boolean optional = choosing && frame.lineIs(0, AUTH);
        choosing = false;
        return isRequired || optional;
    }

    /**
     * Whether the frame is an {@code auth} with the secret of a known token. If so, the connection
     * adopts that token.
     */
    boolean authenticate(LineDecoder frame) {
        if (authenticator == null || !frame.lineIs(0, AUTH)) {
            return false;
        }
        Fields fields = new Fields();
        fields.trim(frame.bytes(), frame.from(2), frame.to(2));
        if (fields.count() != 1) {
            return false;
        }
        secretHash = Sha256.of(Arrays.copyOfRange(fields.bytes(), fields.from(0), fields.to(0)));
        return resolve(authenticator.tokens());
    }

    /** Whether the token still exists. */
    @SuppressWarnings("ReferenceEquality") // another object after each change
    boolean isValid() {
        if (authenticator == null) {
            return true;
        }
        Tokens now = authenticator.tokens();
        return tokens == now || resolve(now);
    }

    private boolean resolve(Tokens now) {
        tokens = now;
        byte[] secret = secretHash;
        NamedToken found = secret == null ? now.ofCertificate(certificate) : now.ofHash(secret);
        if (found != null) {
            token = found;
            session.client().setPrincipal(found.name());
        }
        return found != null;
    }

    /** Whether the token permits this request. Logs a refusal. */
    boolean allows(Command command, LockRequest request) {
        return token == null || token.rights().mayLock(request.key()) || refused(command, request.key());
    }

    /** Whether the token may see any key. Logs a refusal. */
    boolean allowsStats() {
        return token == null || token.rights().mayReadSomething() || refused(Command.STATS, "");
    }

    /** The rights that hide keys from the client; null if it may see all. */
    @Nullable
    Rights rights() {
        return token == null ? null : token.hidingKeys();
    }

    /** Whether a token gives the right to operate. */
    boolean isOperator() {
        return token != null && token.rights().mayOperate();
    }

    /** The client as the gate counts it. */
    String peer() {
        return session.client().countedAs();
    }

    private boolean refused(Command command, Object object) {
        if (authenticator != null) {
            authenticator.audit().refused(new Actor(session.client().principal(), peer), command.text(), object);
        }
        return false;
    }
}
