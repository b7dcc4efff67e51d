package io.flockgate.gateway.limits;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;

/**
 * The part of a peer's address to which per-address caps and rates apply. For IPv4 it is the whole
 * address, for IPv6 the first 64 bits. A host or site gets at least that many IPv6 addresses, and
 * may switch between them at will. What an attacker with many groups could still exhaust is shared
 * by {@link #siteOf site}. Likewise any program on this host may use all of 127.0.0.0/8,
 * which is one group.
 */
public final class AddressGroup {
    private static final int PREFIX_BYTES = 8;
    private static final int SITE_BYTES = 6;
    private static final String LOOPBACK = "127.0.0.0/8";

    private AddressGroup() {}

    /**
     * The group of an address.
     *
     * @param address as text; text that is not an address is its own group
     */
    public static String of(String address) {
        return of(address, PREFIX_BYTES);
    }

    /**
     * The site of an address: for IPv6 its first 48 bits, of which a site may have all /64 groups;
     * otherwise the group.
     *
     * @param address as for {@link #of}, or an IPv6 group
     */
    public static String siteOf(String address) {
        if (address.endsWith("/" + 8 * PREFIX_BYTES)) {
            return address.substring(0, 3 * SITE_BYTES - 1) + "/" + 8 * SITE_BYTES;
        }
        return of(address, SITE_BYTES);
    }

    private static String of(String address, int prefixBytes) {
        boolean v6 = address.indexOf(':') >= 0;
        if (!v6 && !address.startsWith("127.")) {
            return address;
        }
        try {
            // A zone names an interface on this host.
            String literal = address.indexOf('%') < 0 ? address : address.substring(0, address.indexOf('%'));
            // InetAddress.ofLiteral throws and catches an exception for each IPv6 address.
            return of(v6 ? Inet6Address.ofLiteral(literal) : Inet4Address.ofLiteral(literal), prefixBytes);
        } catch (IllegalArgumentException e) {
            return address;
        }
    }

    private static String of(InetAddress address, int prefixBytes) {
        if (address instanceof Inet6Address) {
            return HexFormat.ofDelimiter(":").formatHex(address.getAddress(), 0, prefixBytes) + "/" + 8 * prefixBytes;
        }
        return address.isLoopbackAddress() ? LOOPBACK : address.getHostAddress();
    }
}
