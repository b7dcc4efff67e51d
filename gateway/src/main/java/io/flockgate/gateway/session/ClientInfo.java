package io.flockgate.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * The things that a client says about itself before its first claim.
 *
 * @param name null for a client without a name
 * @param detached whether grants outlive the client's session
 * @param reasons whether an answer is to tell a grant that is not held from a failure
 */
public record ClientInfo(@Nullable ClientName name, boolean detached, boolean reasons) {
    /** A client that has said nothing. */
    public static final ClientInfo NONE = new ClientInfo(null, false, false);
}
