package io.flockgate.gateway.config;

import java.time.Duration;
import java.util.List;

/**
 * The HTTP server, by the options of {@link GatewayOptions#HTTP}. Durations are whole seconds, up
 * to 9,223,372,036.
 *
 * @param host the address to listen on; empty for all addresses
 * @param rateLimitBurst 0 only without a rate limit
 * @param pageUrl the address of the page for the pages of other gateways; empty if it is not known
 */
public record HttpConfig(
        String host,
        int port,
        Duration sessionIdleTimeout,
        long maxSessions,
        long maxSessionsPerIp,
        long maxConnections,
        long maxConnectionsPerIp,
        long rateLimitPerIp,
        long rateLimitBurst,
        List<String> allowedHosts,
        List<String> corsAllowedOrigins,
        long maxEventStreams,
        boolean page,
        String pageUrl) {
    public HttpConfig {
        allowedHosts = List.copyOf(allowedHosts);
        corsAllowedOrigins = List.copyOf(corsAllowedOrigins);
    }

    HttpConfig withCaps(long connections, long connectionsPerIp) {
        return new HttpConfig(
                host,
                port,
                sessionIdleTimeout,
                maxSessions,
                maxSessionsPerIp,
                connections,
                connectionsPerIp,
                rateLimitPerIp,
                rateLimitBurst,
                allowedHosts,
                corsAllowedOrigins,
                maxEventStreams,
                page,
                pageUrl);
    }

    public boolean enabled() {
        return port != 0;
    }
}
