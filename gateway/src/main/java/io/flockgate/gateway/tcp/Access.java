package io.flockgate.gateway.tcp;

import io.flockgate.gateway.rights.AccessControl;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.gateway.session.LockSession;
import io.vertx.core.net.SocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The token of one connection, and what it may do. When the tokens change, the connection has the new rights from its next request on. On
 * one event loop.
 */
final class Access {
    private final AccessControl control;
    private final LockSession session;
    private final SocketAddress peer;
    private byte[] secretHash = {};
    private Tokens tokens;
    private Principal principal;

    Access(AccessControl control, LockSession session, SocketAddress peer) {
        this.control = control;
        this.session = session;
        this.peer = peer;
        this.tokens = control.authenticator().tokens();
        this.principal = isRequired() ? new Principal("", Rights.NONE) : Principal.ANYBODY;
    }

    /** Whether the client must present a token. */
    boolean isRequired() {
        return control.authenticator().isRequired();
    }

    /** Takes the secret that these bytes of a frame have. Returns whether a token has it. */
    boolean present(byte[] frame, int from, int to) {
        secretHash = Authenticator.hash(Arrays.copyOfRange(frame, from, to));
        return resolve();
    }

    /** Whether the token still exists. */
    @SuppressWarnings("ReferenceEquality") // another object after each change
    boolean isValid() {
        return tokens == control.authenticator().tokens() || !isRequired() || resolve();
    }

    private boolean resolve() {
        tokens = control.authenticator().tokens();
        @Nullable Principal found = tokens.find(secretHash);
        if (found != null) {
            principal = found;
            session.setPrincipal(found.name());
        }
        return found != null;
    }

    /** Whether the token may have this request carried out. Notes a refusal. */
    boolean allows(Command command, LockRequest request) {
        Rights rights = principal.rights();
        return rights.mayLock(request.key()) || refused(command, request.key());
    }

    /** Whether the token may see any key. Notes a refusal. */
    boolean allowsStats() {
        return principal.rights().mayReadSomething() || refused(Command.STATS, "");
    }

    Principal principal() {
        return principal;
    }

    private boolean refused(Command command, Object object) {
        control.refused(principal, peer, command.text(), object);
        return false;
    }
}
