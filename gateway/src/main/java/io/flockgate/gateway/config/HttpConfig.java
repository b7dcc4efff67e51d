package io.flockgate.gateway.config;

import java.time.Duration;
import java.util.List;

/**
 * The HTTP server. Durations are whole seconds, up to 9,223,372,036.
 *
 * @param host the address to listen on; empty for all addresses
 * @param port the port to listen on; 0 for no HTTP server
 * @param sessionIdleTimeout the idle time reported to clients; zero if idle sessions never end
 * @param maxSessions the maximum number of sessions; 0 for no limit
 * @param maxSessionsPerIp the maximum number of sessions of a client address; 0 for no limit
 * @param maxPendingCalls the maximum number of requests of all sessions that wait for their turn; 0
 *     for no limit
 * @param maxConnections the maximum number of connections; 0 for no limit
 * @param maxConnectionsPerIp the maximum number of connections of a client address; 0 for no limit
 * @param rateLimitPerIp the maximum number of requests a second from a client address; 0 for no
 *     limit
 * @param rateLimitBurst the number of requests at once within that rate; 0 only without a rate
 *     limit
 * @param allowedHosts names of this gateway in {@code Host}, in addition to its addresses; {@code
 *     *} for any
 * @param corsAllowedOrigins the allowed origins, or {@code *}; empty for none
 * @param maxEventStreams the maximum number of clients that watch events
 * @param maxEventStreamsPerIp the maximum number of clients of an address that watch events; 0 for
 *     no limit
 * @param page whether the page for operators is served
 * @param pageUrl the address of that page for the pages of other gateways; empty if it is not known
 */
public record HttpConfig(
        String host,
        int port,
        Duration sessionIdleTimeout,
        long maxSessions,
        long maxSessionsPerIp,
        long maxPendingCalls,
        long maxConnections,
        long maxConnectionsPerIp,
        long rateLimitPerIp,
        long rateLimitBurst,
        List<String> allowedHosts,
        List<String> corsAllowedOrigins,
        long maxEventStreams,
        long maxEventStreamsPerIp,
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
                maxPendingCalls,
                connections,
                connectionsPerIp,
                rateLimitPerIp,
                rateLimitBurst,
                allowedHosts,
                corsAllowedOrigins,
                maxEventStreams,
                maxEventStreamsPerIp,
                page,
                pageUrl);
    }

    public boolean enabled() {
        return port != 0;
    }
}
