package io.flockgate.client.support;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/** Looks up the addresses of a URI's host, because the JDK's HTTP clients try only the first. */
public final class HostAddresses {
    private HostAddresses() {}

    /**
     * The URI at each address of its host, in the order of the look-up; empty if the host has none.
     * Blocks for as long as the look-up takes.
     */
    public static List<URI> of(URI named) {
        if (named.getHost() == null) {
            return List.of();
        }
        try {
            return Stream.of(InetAddress.getAllByName(named.getHost()))
                    .map(address -> at(named, address))
                    .toList();
        } catch (UnknownHostException e) {
            return List.of();
        }
    }

    private static URI at(URI named, InetAddress address) {
        String host = address.getHostAddress();
        String literal = address instanceof Inet6Address ? "[" + host + "]" : host;
        int port = named.getPort();
        return URI.create(named.getScheme() + "://" + literal + (port < 0 ? "" : ":" + port) + named.getRawPath());
    }
}
