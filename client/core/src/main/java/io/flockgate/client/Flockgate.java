package io.flockgate.client;

import java.net.URI;
import java.util.List;
import java.util.Locale;
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
        Checks.given("server", server);
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
        List<URI> addresses = servers.stream().map(Flockgate::canonical).toList();
        return BackendProviders.of(addresses).backend(addresses, options.settings());
    }

    /** With the scheme in lower case, because schemes are case-insensitive (RFC 3986). */
    private static URI canonical(URI server) {
        String scheme = Checks.given("server", server).getScheme();
        return scheme == null
                ? server
                : URI.create(scheme.toLowerCase(Locale.ROOT) + server.toString().substring(scheme.length()));
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
