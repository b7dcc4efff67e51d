package io.flockgate.gateway.limits;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The part of a peer's address to which per-address caps and rates apply. For IPv4 it is the whole
 * address, for IPv6 the first 64 bits. A host or site gets at least that many IPv6 addresses, and
 * may switch between them at will. Likewise any program on this host may use all of 127.0.0.0/8,
 * which is one group.
 */
public final class AddressGroup {
    private static final int PREFIX_BYTES = 8;
    private static final String LOOPBACK = "127.0.0.0/8";

    private AddressGroup() {}

    /**
     * The group of an address.
     *
     * @param address as text; text that is not an address is its own group
     */
    public static String of(String address) {
        boolean v6 = address.indexOf(':') >= 0;
        if (!v6 && !address.startsWith("127.")) {
            return address;
        }
        try {
            // A zone names an interface on this host.
            String literal = address.indexOf('%') < 0 ? address : address.substring(0, address.indexOf('%'));
            // InetAddress.ofLiteral throws and catches an exception for each IPv6 address.
            return of(v6 ? Inet6Address.ofLiteral(literal) : Inet4Address.ofLiteral(literal));
        } catch (IllegalArgumentException e) {
            return address;
        }
    }

    /** The group of an address with a port, such as {@code [::1]:80}; empty if it is not known. */
    public static String ofPeer(@Nullable String peer) {
        if (peer == null) {
            return "";
        }
        String host = peer.substring(0, Math.max(0, peer.lastIndexOf(':')));
        return of(host.startsWith("[") ? host.substring(1, host.length() - 1) : host);
    }

    private static String of(InetAddress address) {
        if (address instanceof Inet6Address) {
            return HexFormat.of()
                            .formatHex(address.getAddress(), 0, PREFIX_BYTES)
                            .replaceAll("(.{4})(?=.)", "$1:") + "::/" + 8 * PREFIX_BYTES;
        }
        return address.isLoopbackAddress() ? LOOPBACK : address.getHostAddress();
    }
}
