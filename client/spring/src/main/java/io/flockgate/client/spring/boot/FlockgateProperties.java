package io.flockgate.client.spring.boot;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties below {@code flockgate}.
 *
 * @param servers {@code flockgate://host[:port]}, or {@code flockgates://} for TLS; several are
 *     gateways of one cluster. Without servers, nothing is configured
 * @param authToken the server's token, if it needs one
 * @param clientName the client's name for operators; by default the host and the process id
 * @param sslBundle the SSL bundle for {@code flockgates://}; by default the JVM's trust
 * @param lock the locks of the registry
 */
@ConfigurationProperties("flockgate")
public record FlockgateProperties(
        @DefaultValue List<URI> servers,
        @Nullable String authToken,
        @Nullable String clientName,
        @Nullable String sslBundle,
        @DefaultValue Lock lock) {

    /**
     * The properties below {@code flockgate.lock}.
     *
     * @param prefix precedes the name of each lock
     * @param ttl the time after which another process may have a lock of a process that has died
     */
    public record Lock(
            @DefaultValue("") String prefix,
            @DefaultValue("30s") Duration ttl) {}

    /** Without the token. */
    @Override
    public String toString() {
        return "servers " + servers;
    }
}
