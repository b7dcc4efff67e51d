package io.flockgate.storage.consul.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * The address of an agent's HTTP API.
 *
 * @param scheme {@code http} or {@code https}
 * @param host a name or an address; an IPv6 address is in brackets
 */
public record ConsulAddress(String scheme, String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads an address as Consul's own tools do, except for Unix sockets and paths. {@code
     * host:port} is plain HTTP. Without a port it has the port of its scheme. Empty for any other
     * text, such as one with a user name and password.
     */
    public static Optional<ConsulAddress> parse(String text) {
        try {
            URI uri = new URI(text.contains("://") ? text : "http://" + text);
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            int port = portOf(uri, scheme);
            boolean wellFormed = (scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && port > 0
                    && port <= MAX_PORT
                    && hasNothingElse(uri);
            return wellFormed ? Optional.of(new ConsulAddress(scheme, uri.getHost(), port)) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static int portOf(URI uri, String scheme) {
        if (uri.getPort() >= 0) {
            return uri.getPort();
        }
        return scheme.equals("https") ? 443 : 80;
    }

    private static boolean hasNothingElse(URI uri) {
        return uri.getRawUserInfo() == null
                && uri.getRawQuery() == null
                && uri.getRawFragment() == null
                && (uri.getRawPath().isEmpty() || uri.getRawPath().equals("/"));
    }

    boolean tls() {
        return scheme.equals("https");
    }

    @Override
    public String toString() {
        return scheme + "://" + host + ":" + port;
    }
}
