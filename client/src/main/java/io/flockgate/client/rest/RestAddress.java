package io.flockgate.client.rest;

import io.flockgate.client.LeaseConfigException;
import java.net.URI;

/**
 * An address of the REST API: {@code http://host[:port]}, or {@code https://} for TLS. It may have
 * a path, if a proxy adds one.
 *
 * @param base the address without a trailing slash
 */
public record RestAddress(URI base) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads an address.
     *
     * @throws LeaseConfigException if it is another kind of URI, or has a user or a query
     */
    public static RestAddress of(URI uri) {
        String scheme = String.valueOf(uri.getScheme());
        require(
                scheme.equals("http") || scheme.equals("https"),
                "begins with http:// or https://, like all the others");
        // This check comes before any message that shows the address.
        require(uri.getRawUserInfo() == null, "has no user or password: give the token to ConnectOptions");
        String authority = String.valueOf(uri.getRawAuthority());
        require(
                uri.getHost() != null || authority.indexOf('_') < 0,
                "has a host without an underscore: HTTP takes no such name, and " + authority + " has one");
        require(uri.getHost() != null, "needs a host, as in http://host:6389");
        String path = String.valueOf(uri.getRawPath());
        require(!path.matches(".*/v1(/.*)?"), "has no /v1, which the client adds");
        require(uri.getRawQuery() == null && uri.getRawFragment() == null, "has no query and no fragment");
        require(uri.getPort() == -1 || (uri.getPort() >= 1 && uri.getPort() <= MAX_PORT), "has a port from 1 to 65535");
        return new RestAddress(URI.create(uri.toString().replaceFirst("/+$", "")));
    }

    /** True to use TLS. */
    public boolean tls() {
        return base.getScheme().equals("https");
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new LeaseConfigException("a server's address " + rule);
        }
    }

    @Override
    public String toString() {
        return base.toString();
    }
}
