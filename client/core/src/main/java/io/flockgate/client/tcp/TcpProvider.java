package io.flockgate.client.tcp;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import io.flockgate.client.LeaseConfigException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;

/** Provides back ends for the line protocol: {@code flockgate://} and {@code flockgates://}. */
public final class TcpProvider implements LeaseBackendProvider {
    /** For {@link java.util.ServiceLoader}. */
    public TcpProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("flockgate", "flockgates");
    }

    @Override
    public LeaseBackend backend(List<URI> servers, ConnectOptions options) {
        List<ServerAddress> addresses = servers.stream().map(ServerAddress::of).toList();
        if (addresses.stream().map(ServerAddress::tls).distinct().count() > 1) {
            throw new LeaseConfigException(
                    "the servers of one cluster are all with TLS (flockgates://) or all without");
        }
        if (addresses.get(0).tls()) {
            // Reports now if the trust store cannot be read.
            SSLContext unused = options.sslContext().get();
        }
        return new TcpBackend(addresses, options);
    }
}
