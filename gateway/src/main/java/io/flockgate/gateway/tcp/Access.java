package io.flockgate.gateway.tcp;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.rights.AccessControl;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Sha256;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.vertx.core.net.SocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The token of one connection, or that of its certificate, and what it may do. When the tokens
 * change, the connection has the new rights starting with its next request. On one event loop.
 */
final class Access {
    private final AccessControl control;
    private final LockSession session;
    private final SocketAddress peer;
    /** Whether no rights are configured, so that every client may do everything. */
    private final boolean open;

    private final boolean required;
    private final String certificate;
    private byte @Nullable [] secretHash;
    private Tokens tokens;
    private Principal principal = new Principal("", Rights.NONE);
    private @Nullable String group;

    /** Whether the next frame may present a token although the certificate suffices. */
    private boolean choosing;

    /**
     * @param certificate the name in the client's certificate; empty without one
     */
    Access(AccessControl control, LockSession session, SocketAddress peer, String certificate) {
        this.control = control;
        this.session = session;
        this.peer = peer;
        this.certificate = certificate;
        this.open = !control.authenticator().isRequired();
        this.tokens = control.authenticator().tokens();
        this.required = !resolve();
        this.choosing = !required && !open;
    }

    /** Whether the client must present a token. */
    boolean isRequired() {
        return required;
    }

    /**
     * Whether this frame, the first since the last call or the beginning, presents a token instead
     * of the certificate.
     */
    boolean isChosen(LineDecoder frame, byte[] auth) {
        boolean first = choosing;
        choosing = false;
        return first && frame.lineIs(0, auth);
    }

    /** Adopts the secret in these bytes of a frame. Returns whether a token has it. */
    boolean present(byte[] frame, int from, int to) {
        secretHash = Sha256.of(Arrays.copyOfRange(frame, from, to));
        return resolve();
    }

    /** Whether the token still exists. */
    @SuppressWarnings("ReferenceEquality") // another object after each change
    boolean isValid() {
        return open || tokens == control.authenticator().tokens() || resolve();
    }

    private boolean resolve() {
        tokens = control.authenticator().tokens();
        byte[] secret = secretHash;
        @Nullable
        Principal found = secret == null ? control.authenticator().ofCertificate(certificate) : tokens.find(secret);
        if (found != null) {
            principal = found;
            session.setPrincipal(found.name());
        }
        return found != null;
    }

    /** Whether the token permits this request. Logs a refusal. */
    boolean allows(Command command, LockRequest request) {
        return open || principal.rights().mayLock(request.key()) || refused(command, request.key());
    }

    /** Whether the token may see any key. Logs a refusal. */
    boolean allowsStats() {
        return open || principal.rights().mayReadSomething() || refused(Command.STATS, "");
    }

    Principal principal() {
        return principal;
    }

    String address() {
        return PeerAddress.ip(peer);
    }

    /** The client's address group. */
    String addressGroup() {
        if (group == null) {
            group = AddressGroup.of(address());
        }
        return group;
    }

    /** The client as the gate counts it: its token, or else its address group. */
    String peer() {
        return Gate.peer(principal.name(), addressGroup());
    }

    private boolean refused(Command command, Object object) {
        control.refused(principal, peer, command.text(), object);
        return false;
    }
}
