package io.flockgate.client.consul;

import io.flockgate.client.LeaseConfigException;
import java.net.URI;
import java.util.regex.Pattern;

/**
 * The address of an agent, and the prefix of the cluster's keys.
 *
 * @param agent the address of its HTTP API
 * @param base the beginning of all keys, with a trailing slash
 */
record ConsulAddress(URI agent, String base) {
    private static final int DEFAULT_PORT = 8500;
    private static final int DEFAULT_TLS_PORT = 8501;
    private static final String DEFAULT_BASE = "flockgate/";
    private static final int MAX_PREFIX = 512;
    private static final String NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";
    private static final Pattern PATH = Pattern.compile(NAME + "(?:/" + NAME + ")*");

    /**
     * Reads an address.
     *
     * @throws LeaseConfigException if it is another kind of URI, or has a user or a query
     */
    static ConsulAddress of(URI uri) {
        String scheme = String.valueOf(uri.getScheme());
        boolean tls = scheme.equals("consuls");
        require(tls || scheme.equals("consul"), "begins with consul:// or consuls://, and not with " + scheme);
        // Before any message shows the address.
        require(uri.getRawUserInfo() == null, "has no user or password: give the ACL token to the options");
        String host = uri.getHost();
        if (host == null || uri.isOpaque()) {
            throw new LeaseConfigException("an agent's address needs a host, as in consul://host:8500/flockgate");
        }
        require(uri.getRawQuery() == null && uri.getRawFragment() == null, "has nothing behind the prefix");
        int port = uri.getPort() == -1 ? (tls ? DEFAULT_TLS_PORT : DEFAULT_PORT) : uri.getPort();
        require(port >= 1 && port <= 65_535, "has a port from 1 to 65535, and not " + port);
        URI agent = URI.create((tls ? "https" : "http") + "://" + host + ":" + port);
        return new ConsulAddress(agent, base(uri.getRawPath()));
    }

    private static String base(String path) {
        String prefix = path.startsWith("/") ? path.substring(1) : path;
        return prefix.isEmpty() ? DEFAULT_BASE : canonical(prefix) + "/";
    }

    /** A prefix that no agent and no other client changes, without a trailing slash. */
    static String canonical(String prefix) {
        String path = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
        if (path.length() > MAX_PREFIX || !PATH.matcher(path).matches()) {
            throw new LeaseConfigException("a prefix in Consul has names of letters, digits, '_', '~', '-' and inner"
                    + " dots, separated by single slashes, and at most " + MAX_PREFIX + " characters");
        }
        return path;
    }

    private static void require(boolean condition, String rule) {
        if (!condition) {
            throw new LeaseConfigException("an agent's address " + rule);
        }
    }
}
