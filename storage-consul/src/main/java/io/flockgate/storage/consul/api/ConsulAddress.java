package io.flockgate.storage.consul.api;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * Where an agent's HTTP API is.
 *
 * @param scheme {@code http} or {@code https}
 * @param host a name or an address; one of IPv6 in brackets
 * @param path what comes before {@code /v1}: empty, or with a slash at its beginning and none at its end
 */
public record ConsulAddress(String scheme, String host, int port, String path) {
    /**
     * Reads an address as Consul's own tools do: {@code host:port} is plain HTTP, a URL may have a path, and without a port it
     * is the scheme's.
     *
     * @throws IllegalArgumentException when it is none, with a message for the operator that does not repeat it where it may
     *     hold a password
     */
    public static ConsulAddress parse(String text) {
        String url = text.strip();
        if (url.toLowerCase(Locale.ROOT).startsWith("unix:")) {
            throw new IllegalArgumentException("Consul's Unix sockets are not supported: give host:port or a URL");
        }
        URI uri = uri(url.contains("://") ? url : "http://" + url);
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("Consul's address may have a host, a port and a path only");
        }
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw new IllegalArgumentException("Consul's address must begin with http:// or https://, not " + scheme);
        }
        String host = uri.getHost();
        if (host == null || uri.getPort() == 0 || uri.getPort() > 65535) {
            throw new IllegalArgumentException("Consul's address needs a host and, if any, a port from 1 to 65535");
        }
        int port = uri.getPort() > 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
        return new ConsulAddress(scheme, host, port, uri.getRawPath().replaceAll("/+$", ""));
    }

    private static URI uri(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("Consul's address is not host:port or a URL: " + e.getReason());
        }
    }

    boolean tls() {
        return scheme.equals("https");
    }

    @Override
    public String toString() {
        return scheme + "://" + host + ":" + port + path;
    }
}
