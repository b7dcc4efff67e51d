package io.flockgate.gateway.config;

import java.time.Duration;

/**
 * The TCP server. Durations are whole seconds, up to 9,223,372,036, so that nanoseconds fit a
 * signed 64-bit number.
 *
 * @param host the address to listen on; empty for all addresses
 * @param port the port to listen on; 0 for one that the system chooses
 * @param readTimeout the time limit for each line of a frame; positive
 * @param writeTimeout the time in which a client must accept a reply; zero for no limit
 * @param maxConnections the maximum number of connections; 0 for no limit
 * @param maxConnectionsPerIp the maximum number of connections of a client address; 0 for no limit
 * @param autoRelease whether a closing connection releases what it holds
 * @param eventLoops the number of event loops that serve connections, 1 to 1,024
 */
public record TcpConfig(
        String host,
        int port,
        Duration readTimeout,
        Duration writeTimeout,
        long maxConnections,
        long maxConnectionsPerIp,
        boolean autoRelease,
        int eventLoops) {
    TcpConfig withCaps(long connections, long connectionsPerIp) {
        return new TcpConfig(
                host, port, readTimeout, writeTimeout, connections, connectionsPerIp, autoRelease, eventLoops);
    }
}
