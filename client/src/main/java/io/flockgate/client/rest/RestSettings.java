package io.flockgate.client.rest;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseEnvironment;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link RestBackend}.
 *
 * @param servers gateways of one cluster
 * @param clientName the client's name for operators
 * @param authToken the server's token, if it needs one; printable ASCII
 * @param sslContext trust and keys, for connections with TLS
 * @param environment clocks and timers
 * @param executor the user's threads; null for the back end's own
 */
public record RestSettings(
        List<RestAddress> servers,
        String clientName,
        @Nullable String authToken,
        SSLContext sslContext,
        LeaseEnvironment environment,
        @Nullable Executor executor) {
    public RestSettings {
        servers = List.copyOf(servers);
        // Checked here, because the JDK's message about an invalid header would show the token.
        if (authToken != null && !authToken.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new LeaseConfigException("over the REST API a token has printable ASCII characters only");
        }
    }

    /** The ticker's time. */
    long nanos() {
        return environment.ticker().nanos();
    }

    @Override
    public String toString() {
        return "servers " + servers;
    }
}
