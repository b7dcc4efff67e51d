package io.flockgate.cli.shared;

import io.flockgate.text.Quoting;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The servers to ask, all of one kind: the gateways of one cluster, tried in turn. */
public sealed interface Servers {
    /** The one server of the line protocol if none is given. */
    Servers LOCAL_LINE = new Line(List.of(URI.create("flockgate://127.0.0.1:6388")));

    /** The one server of the REST API if none is given. */
    Servers LOCAL_REST = new Rest(List.of(URI.create("http://127.0.0.1:6389")));

    /**
     * Servers of the line protocol: {@code flockgate://host:port}, or {@code flockgates://} for
     * TLS.
     */
    record Line(List<URI> addresses) implements Servers {}

    /** Servers of the REST API: {@code http://host:port} or {@code https://}. */
    record Rest(List<URI> addresses) implements Servers {}

    /** At least one. */
    List<URI> addresses();

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
        return switch (kinds.getFirst()) {
            case "http", "https" -> new Rest(addresses);
            default -> new Line(addresses);
        };
    }

    /**
     * The REST API of a gateway, as its answer to {@code hello} with the option {@code http}
     * reports it; empty without one.
     *
     * @param line the gateway's address of the line protocol
     */
    static Optional<Rest> rest(URI line, String hello) {
        return Stream.of(hello.split(" ", -1))
                .filter(word -> word.matches("https?=\\d+"))
                .map(word -> word.split("=", -1))
                .map(word -> new Rest(List.of(URI.create(word[0] + "://" + line.getHost() + ":" + word[1]))))
                .findFirst();
    }

    private static URI address(String text, String source) {
        String whole = text.contains("://") ? text : "flockgate://" + text;
        String plain = whole.endsWith("/") ? whole.substring(0, whole.length() - 1) : whole;
        URI uri = uri(plain, source);
        String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
        if (!List.of("flockgate", "flockgates", "http", "https").contains(scheme)) {
            throw CommandException.usage(source + ": unknown scheme " + Quoting.quoted(uri.getScheme() + "://")
                    + "; there are flockgate://, flockgates://, http:// and https://");
        }
        // A password must not be shown.
        if (uri.getRawUserInfo() != null) {
            throw CommandException.usage(source + ": an address has no user or password; see --auth-token-file");
        }
        boolean plainPath = scheme.startsWith("http") || uri.getRawPath().isEmpty();
        if (uri.getHost() == null || uri.getRawQuery() != null || uri.getRawFragment() != null || !plainPath) {
            throw notAnAddress(source);
        }
        return URI.create(scheme + plain.substring(scheme.length()));
    }

    private static URI uri(String text, String source) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            throw notAnAddress(source);
        }
    }

    private static CommandException notAnAddress(String source) {
        return CommandException.usage(source + " must be like 127.0.0.1:6388, flockgates://host:6388 or "
                + "http://127.0.0.1:6389; several of one kind separated by commas");
    }
}
