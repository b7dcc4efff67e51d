package io.flockgate.gateway.net;

import io.flockgate.storage.ClientDescription;
import io.vertx.core.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The text of a peer's IP address and port, as operators write them. */
public final class PeerAddress {
    private PeerAddress() {}

    /**
     * The text, such as {@code 192.0.2.7:51044} or {@code [2001:db8::7]:51044}; null if the address
     * is not known.
     */
    public static @Nullable String of(@Nullable SocketAddress peer) {
        String host = peer == null ? null : peer.hostAddress();
        if (peer == null || host == null) {
            return null;
        }
        String text = (host.contains(":") ? "[" + host + "]" : host) + ":" + peer.port();
        return text.length() > ClientDescription.MAX_ADDRESS_LENGTH ? null : text;
    }

    /** The IP address alone; {@code unknown} if it is not known. */
    public static String ip(@Nullable SocketAddress peer) {
        String address = peer == null ? null : peer.hostAddress();
        return address == null ? "unknown" : address;
    }
}
