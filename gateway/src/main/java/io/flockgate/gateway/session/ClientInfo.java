package io.flockgate.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * The things that a client says about itself before its first claim.
 *
 * @param name null for a client without a name
 * @param detached whether grants outlive the client's session
 */
public record ClientInfo(@Nullable ClientName name, boolean detached) {
    /** A client that has said nothing. */
    public static final ClientInfo NONE = new ClientInfo(null, false);
}
