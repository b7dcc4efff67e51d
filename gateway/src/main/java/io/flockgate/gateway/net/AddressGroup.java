package io.flockgate.gateway.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.HexFormat;

/**
 * The part of a peer's address by which caps and rates for each address count. For IPv4 it is the whole address, for IPv6 the first
 * 64 bits. A host or site gets at least that many IPv6 addresses, and may change among them at will.
 */
public final class AddressGroup {
    private static final int PREFIX_BYTES = 8;

    private AddressGroup() {}

    /**
     * The group of an address.
     *
     * @param address in writing; text that is no address is a group of its own
     */
    public static String of(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            // A zone names an interface of this host.
            String literal = address.indexOf('%') < 0 ? address : address.substring(0, address.indexOf('%'));
            InetAddress parsed = InetAddress.ofLiteral(literal);
            return parsed instanceof Inet6Address
                    ? HexFormat.ofDelimiter(":").formatHex(parsed.getAddress(), 0, PREFIX_BYTES) + "/64"
                    : parsed.getHostAddress();
        } catch (IllegalArgumentException e) {
            return address;
        }
    }
}
