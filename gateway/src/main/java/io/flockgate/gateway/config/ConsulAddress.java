package io.flockgate.gateway.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/** The address of Consul's HTTP API, read as Consul's own tools read it, but for sockets and paths. */
final class ConsulAddress {
    static final Rule<String> RULE = Rule.of(
            "host:port, after http:// or https:// if wanted",
            "must be host:port, with http:// or https:// before it if wanted and nothing else",
            text -> canonical(text).isPresent());

    private static final int HIGHEST_PORT = 65_535;

    private ConsulAddress() {}

    /** Scheme, host and port; empty for anything else, a name and password in front of the host included. */
    static Optional<String> canonical(String text) {
        try {
            URI uri = new URI(text.contains("://") ? text : "http://" + text);
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            int port = portOf(uri, scheme);
            boolean wellFormed = (scheme.equals("http") || scheme.equals("https"))
                    && uri.getHost() != null
                    && port > 0
                    && port <= HIGHEST_PORT
                    && hasNothingElse(uri);
            return wellFormed ? Optional.of(scheme + "://" + uri.getHost() + ":" + port) : Optional.empty();
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
}
