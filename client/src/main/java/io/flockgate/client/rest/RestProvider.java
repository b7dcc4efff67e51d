package io.flockgate.client.rest;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.http.DefaultTrust;
import java.net.URI;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;

/** Provides back ends for the REST API: {@code http://} and {@code https://}. */
public final class RestProvider implements LeaseBackendProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RestProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of("http", "https");
    }

    @Override
    public LeaseBackend backend(List<URI> servers, Settings settings) {
        List<RestAddress> addresses = servers.stream().map(RestAddress::of).toList();
        if (addresses.stream().map(RestAddress::tls).distinct().count() > 1) {
            throw new LeaseConfigException("the servers of one cluster are all with TLS (https://) or all without");
        }
        SSLContext tls = addresses.get(0).tls() ? settings.sslContext().get() : DefaultTrust.none();
        return new RestBackend(new RestSettings(
                addresses,
                settings.clientName(),
                settings.authToken(),
                tls,
                settings.environment(),
                settings.ioExecutor()));
    }
}
