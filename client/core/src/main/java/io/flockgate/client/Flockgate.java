package io.flockgate.client;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The entry point: leases over a server, or within this process. Safe from any thread; no method
 * waits for a server.
 *
 * {@snippet :
 * LeaseProvider leases = Flockgate.connect(URI.create("flockgate://gate-1:6388"), URI.create("flockgate://gate-2:6388"));
 * }
 */
public final class Flockgate {
    private Flockgate() {}

    /**
     * Leases over a server, Flockgate or dflockd, or over any other system that a provider on the
     * class path supports; see {@link #connect(ConnectOptions, List)}.
     *
     * @param server {@code flockgate://host[:port]} for the line protocol, or {@code flockgates://}
     *     for TLS; the default port is 6388. With {@code flockgate-client-kubernetes} {@code
     *     kubernetes://host[:port]/namespace}, or {@code kubernetes:///} in a pod
     * @param others more gateways of the same cluster
     * @throws LeaseConfigException if an address is of an unknown kind, or they are of different
     *     kinds
     */
    public static LeaseProvider connect(URI server, URI... others) {
        Checks.given("others", others);
        return connect(
                ConnectOptions.defaults(),
                Stream.concat(Stream.of(server), Stream.of(others)).toList());
    }

    /**
     * Leases over a server of the line protocol, or over any other system that a {@link
     * LeaseBackendProvider} on the class path supports. Several addresses are gateways of one
     * cluster: one is used, and when it fails, the next. Nothing is sent before the first lease is
     * used.
     *
     * @throws LeaseConfigException if there is no address, one is of an unknown kind or of one
     *     whose artifact is not on the class path, or they are of different kinds
     */
    public static LeaseProvider connect(ConnectOptions options, List<URI> servers) {
        return provider(backend(options, servers), options.environment());
    }

    /**
     * Only the back end, for adapters that keep track of time themselves. The caller closes it.
     *
     * @throws LeaseConfigException as {@link #connect(ConnectOptions, List)} does
     */
    public static LeaseBackend backend(ConnectOptions options, List<URI> servers) {
        Checks.given("options", options);
        Checks.given("servers", servers);
        Checks.that(!servers.isEmpty(), "at least one server is needed");
        List<URI> addresses = servers.stream().map(Flockgate::canonical).toList();
        List<LeaseBackendProvider> all = backEnds();
        return addresses.stream()
                .map(address -> backEnd(address, all))
                .toList()
                .get(0)
                .backend(addresses, options);
    }

    /** With the scheme in lower case, because schemes are case-insensitive (RFC 3986). */
    private static URI canonical(URI server) {
        String scheme = Checks.given("server", server).getScheme();
        return scheme == null
                ? server
                : URI.create(scheme.toLowerCase(Locale.ROOT) + server.toString().substring(scheme.length()));
    }

    /** Uses the loader of this class, because pool threads may have arbitrary context loaders. */
    private static List<LeaseBackendProvider> backEnds() {
        try {
            return ServiceLoader.load(LeaseBackendProvider.class, Flockgate.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
        } catch (ServiceConfigurationError broken) {
            throw new LeaseConfigException("a provider of back ends cannot be loaded: " + broken.getMessage());
        }
    }

    private static LeaseBackendProvider backEnd(URI server, List<LeaseBackendProvider> all) {
        String scheme = String.valueOf(server.getScheme());
        return all.stream()
                .filter(each -> each.schemes().contains(scheme))
                .findFirst()
                .orElseThrow(() -> new LeaseConfigException(
                        switch (scheme) {
                            case "http" -> lineProtocol(server, "flockgate");
                            case "https" -> lineProtocol(server, "flockgates");
                            case "kubernetes" ->
                                "kubernetes:// needs io.flockgate:flockgate-client-kubernetes on the class path";
                            default -> unknown(server, all);
                        }));
    }

    /** Names the address to use instead. A user or password in the given one is not shown. */
    private static String lineProtocol(URI server, String scheme) {
        String host = server.getHost() == null ? "host" : server.getHost();
        return "leases use the line protocol, and not " + server.getScheme() + "://, which is the REST API: the address"
                + " of this gateway is " + scheme + "://" + host + ":6388, unless its --port is another";
    }

    private static String unknown(URI server, List<LeaseBackendProvider> all) {
        TreeSet<String> known = new TreeSet<>(List.of("kubernetes"));
        all.forEach(each -> known.addAll(each.schemes()));
        String address = server.toString();
        boolean bare = !address.contains("/") && !address.contains("@");
        return "an address begins with one of " + String.join("://, ", known) + "://"
                + (bare
                        ? "; the address of a gateway is flockgate://" + address
                        : ", and not with " + server.getScheme());
    }

    /** Leases over a custom back end. Closing the provider closes the back end. */
    public static LeaseProvider provider(LeaseBackend backend, LeaseEnvironment environment) {
        Checks.given("backend", backend);
        Checks.given("environment", environment);
        return new ManagedLeases(backend, environment);
    }

    /**
     * Leases within this process, for tests and for applications of a single process. All leases of
     * this provider compete with each other.
     */
    public static LeaseProvider inMemory() {
        return inMemory(LeaseEnvironment.system());
    }

    /** The same with custom clocks and threads. */
    public static LeaseProvider inMemory(LeaseEnvironment environment) {
        Checks.given("environment", environment);
        return provider(new MemoryBackend(environment), environment);
    }
}
