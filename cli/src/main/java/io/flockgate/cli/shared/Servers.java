package io.flockgate.cli.shared;

import io.flockgate.text.Quoting;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The gateways of one cluster, tried in turn.
 *
 * @param addresses at least one, all with the same scheme
 */
public record Servers(List<URI> addresses) {
    private static final List<String> SCHEMES = List.of("flockgate", "flockgates", "http", "https");

    /** The one server if none is given. */
    static final Servers LOCAL = of("127.0.0.1:6388", "");

    /**
     * Reads comma-separated addresses. {@code host:port} is the line protocol.
     *
     * @param source the option or the variable, for messages
     * @throws CommandException if a part is not an address, or the addresses are of different kinds
     */
    static Servers of(String text, String source) {
        List<URI> addresses = Stream.of(text.split(",", -1))
                .map(each -> address(each.strip(), source))
                .toList();
        List<String> kinds = addresses.stream().map(URI::getScheme).distinct().toList();
        if (kinds.size() > 1) {
            throw CommandException.usage(
                    source + ": all addresses must be of one kind, and there are " + String.join(" and ", kinds));
        }
        return new Servers(addresses);
    }

    /** Whether these are addresses of the REST API instead of the line protocol. */
    boolean isRest() {
        return addresses.getFirst().getScheme().startsWith("http");
    }

    private static URI address(String text, String source) {
        String whole = text.contains("://") ? text : "flockgate://" + text;
        URI uri = uri(whole.replaceFirst("/$", ""), source);
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        if (!SCHEMES.contains(scheme)) {
            throw CommandException.usage(source + ": unknown scheme " + Quoting.quoted(uri.getScheme() + "://")
                    + "; there are flockgate:// and flockgates://, for some commands also http:// and https://");
        }
        // A password must not be shown.
        if (uri.getRawUserInfo() != null
                || String.valueOf(uri.getRawAuthority()).contains("@")) {
            throw CommandException.usage(source + ": an address has no user or password; see --auth-token-file");
        }
        // Java's URI has no host if its name has an underscore.
        boolean bare = scheme.startsWith("http") || uri.getRawPath().isEmpty();
        if (uri.getRawAuthority() == null || uri.getRawQuery() != null || uri.getRawFragment() != null || !bare) {
            throw notAnAddress(source);
        }
        return URI.create(scheme + uri.toString().substring(scheme.length()));
    }

    private static URI uri(String text, String source) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw notAnAddress(source);
        }
    }

    private static CommandException notAnAddress(String source) {
        return CommandException.usage(source + " must be like 127.0.0.1:6388 or flockgates://host:6388; several are"
                + " separated by commas");
    }
}
