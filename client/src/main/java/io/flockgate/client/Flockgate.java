package io.flockgate.client;

import io.flockgate.client.consul.ConsulBackend;
import io.flockgate.client.consul.ConsulOptions;
import io.flockgate.client.http.DefaultTrust;
import io.flockgate.client.rest.RestAddress;
import io.flockgate.client.rest.RestBackend;
import io.flockgate.client.rest.RestSettings;
import io.flockgate.client.tcp.ServerAddress;
import io.flockgate.client.tcp.TcpBackend;
import io.flockgate.client.tcp.TcpSettings;
import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/** The way in: leases over a server, or within this process. Safe from any thread; nothing here waits for a server. */
public final class Flockgate {
    private Flockgate() {}

    /**
     * Leases over a server, Flockgate or dflockd, or over Consul; see {@link #connect(ConnectOptions, List)}.
     *
     * @param server {@code flockgate://host[:port]} for the line protocol, or {@code flockgates://} for TLS. For the REST API
     *     {@code http://host:port} or {@code https://host:port}. For Consul without a gateway
     *     {@code consul://host[:port][/prefix]}, or {@code consuls://} for HTTPS; see {@link ConsulOptions}
     * @param others more gateways, or more agents, of the same cluster
     * @throws LeaseConfigException if an address is of an unknown kind, or they are of different kinds
     */
    public static LeaseProvider connect(URI server, URI... others) {
        return connect(
                ConnectOptions.defaults(),
                Stream.concat(Stream.of(server), Stream.of(others)).toList());
    }

    /**
     * Leases over a server of the line protocol or the REST API, or over Consul. Several addresses are gateways, or agents, of one cluster: one is used, and
     * the next when it fails. Nothing is sent before the first lease is used.
     *
     * @throws LeaseConfigException if there is no address, one is of an unknown kind, or they are of different kinds
     */
    public static LeaseProvider connect(ConnectOptions options, List<URI> servers) {
        return LeaseBackend.provider(backend(options, servers), options.environment());
    }

    /**
     * The back end alone, for adapters that keep the time themselves. The caller closes it.
     *
     * @throws LeaseConfigException as {@link #connect(ConnectOptions, List)} does
     */
    public static LeaseBackend backend(ConnectOptions options, List<URI> servers) {
        Checks.that(!servers.isEmpty(), "at least one server is needed");
        if (servers.stream().anyMatch(Flockgate::isConsul)) {
            return new ConsulBackend(consul(options, servers));
        }
        if (servers.stream().anyMatch(Flockgate::isRest)) {
            return new RestBackend(rest(options, servers));
        }
        List<ServerAddress> addresses = servers.stream().map(ServerAddress::of).toList();
        boolean mixed = addresses.stream().map(ServerAddress::tls).distinct().count() > 1;
        Checks.that(!mixed, "the servers of one cluster are all with TLS (flockgates://) or all without");
        if (addresses.stream().anyMatch(ServerAddress::tls)) {
            // A trust store that cannot be read is told now.
            SSLContext unused = options.sslContext();
        }
        return new TcpBackend(new TcpSettings(
                addresses,
                options.clientName(),
                options.authToken(),
                options::sslContext,
                options.environment(),
                options.ioExecutor()));
    }

    private static boolean isConsul(URI address) {
        return "consul".equals(address.getScheme()) || "consuls".equals(address.getScheme());
    }

    private static boolean isRest(URI address) {
        return "http".equals(address.getScheme()) || "https".equals(address.getScheme());
    }

    private static RestSettings rest(ConnectOptions options, List<URI> servers) {
        List<RestAddress> addresses = servers.stream().map(RestAddress::of).toList();
        boolean mixed = addresses.stream().map(RestAddress::tls).distinct().count() > 1;
        Checks.that(!mixed, "the servers of one cluster are all with TLS (https://) or all without");
        SSLContext tls = addresses.get(0).tls() ? options.sslContext() : DefaultTrust.none();
        return new RestSettings(
                addresses, options.clientName(), options.authToken(), tls, options.environment(), options.ioExecutor());
    }

    private static ConsulOptions consul(ConnectOptions options, List<URI> agents) {
        String token = options.authToken() == null ? "" : options.authToken();
        return ConsulOptions.agents(agents)
                .clientName(options.clientName())
                .aclToken(() -> token)
                .sslContext(options.sslContext())
                .environment(options.environment());
    }

    /** Leases within this process, for tests and for one process alone. All leases of this provider compete with each other. */
    public static LeaseProvider inMemory() {
        return inMemory(LeaseEnvironment.system());
    }

    /** The same with clocks and threads of one's own. */
    public static LeaseProvider inMemory(LeaseEnvironment environment) {
        return LeaseBackend.provider(new MemoryBackend(environment), environment);
    }
}
