package io.flockgate.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * What a client says about itself before its first claim.
 *
 * @param name null for a client without a name
 * @param detached whether grants outlive the client's session
 * @param reasons whether answers must distinguish a grant that is not held from a failure
 * @param losses the id under which all connections and sessions of the client are notified of its
 *     lost grants; null for a client that does not want that
 */
public record ClientInfo(
        @Nullable ClientName name,
        boolean detached,
        boolean reasons,
        @Nullable String losses) {
    /** The maximum length of {@code losses}. */
    public static final int MAX_LOSSES_LENGTH = 64;

    /** A client that has said nothing. */
    public static final ClientInfo NONE = new ClientInfo(null, false, false, null);
}
