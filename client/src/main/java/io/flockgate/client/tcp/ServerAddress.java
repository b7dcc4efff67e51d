package io.flockgate.client.tcp;

import io.flockgate.client.LeaseConfigException;
import java.net.URI;

/**
 * An address of the line protocol: {@code flockgate://host[:port]}, or {@code flockgates://} for TLS.
 *
 * @param host a name or an IP address, without brackets
 * @param port the TCP port
 * @param tls true to speak TLS
 */
public record ServerAddress(String host, int port, boolean tls) {
    /** The port of the line protocol. */
    public static final int DEFAULT_PORT = 6388;

    /**
     * Reads an address.
     *
     * @throws LeaseConfigException if it is another kind of URI, or has a user, a path or a query
     */
    public static ServerAddress of(URI uri) {
        String scheme = String.valueOf(uri.getScheme());
        boolean tls = scheme.equals("flockgates");
        require(tls || scheme.equals("flockgate"), "begins with flockgate:// or flockgates://, and not with " + scheme);
        // Before any message shows the address.
        require(uri.getRawUserInfo() == null, "has no user or password: give the token to ConnectOptions");
        String host = uri.getHost();
        if (host == null || uri.isOpaque()) {
            throw new LeaseConfigException("a server's address needs a host, as in flockgate://host:6388");
        }
        boolean bare = uri.getRawPath().isEmpty() && uri.getRawQuery() == null && uri.getRawFragment() == null;
        require(bare, "has nothing behind host and port");
        int port = uri.getPort() == -1 ? DEFAULT_PORT : uri.getPort();
        require(port >= 1 && port <= 65_535, "has a port from 1 to 65535, and not " + port);
        return new ServerAddress(unbracketed(host), port, tls);
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new LeaseConfigException("a server's address " + rule);
        }
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
