package io.flockgate.client.rest;

import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseBackendProvider;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.support.ServerSettings;
import java.net.URI;
import java.util.List;
import java.util.Set;

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
        // Checked here, because the JDK's message about an invalid header would show the token.
        String token = settings.authToken();
        if (token != null && !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new LeaseConfigException("over the REST API a token has printable ASCII characters only");
        }
        return new RestBackend(new ServerSettings<>(addresses, settings));
    }
}
