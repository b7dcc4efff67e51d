package io.flockgate.gateway.session;

import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.storage.ClientDescription.Via;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a session, for operators.
 *
 * @param address the client's IP address and port as text; null if not known
 */
public record Peer(Via via, @Nullable String address) {
    /** A client of which nothing is known. */
    public static final Peer UNKNOWN = new Peer(Via.OTHER, null);

    /** The {@link AddressGroup}; empty if the address is not known. */
    public String group() {
        if (address == null) {
            return "";
        }
        String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        return AddressGroup.of(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    }
}
