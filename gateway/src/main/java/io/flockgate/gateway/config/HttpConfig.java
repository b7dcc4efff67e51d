package io.flockgate.gateway.config;

import java.time.Duration;
import java.util.List;

/**
 * The HTTP server. Durations are whole seconds, up to 9,223,372,036.
 *
 * @param host to listen on; empty for all addresses
 * @param port to listen on; 0 for no HTTP server
 * @param sessionIdleTimeout told to clients; zero for sessions that never end by idleness
 * @param maxSessions at a time; 0 for no limit
 * @param maxSessionsPerIp at a time; 0 for no limit
 * @param maxConnectionsPerIp at a time; 0 for no limit
 * @param rateLimitPerIp requests a second; 0 for no limit
 * @param rateLimitBurst requests at once within that rate; 0 only when there is no rate limit
 * @param corsAllowedOrigins origins, or {@code *}; empty for none
 */
public record HttpConfig(
        String host,
        int port,
        Duration sessionIdleTimeout,
        long maxSessions,
        long maxSessionsPerIp,
        long maxConnectionsPerIp,
        long rateLimitPerIp,
        long rateLimitBurst,
        List<String> corsAllowedOrigins) {
    public HttpConfig {
        corsAllowedOrigins = List.copyOf(corsAllowedOrigins);
    }

    public boolean enabled() {
        return port != 0;
    }
}
