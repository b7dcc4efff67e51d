package io.flockgate.gateway.config;

import java.time.Duration;

/**
 * The TCP server. Durations are whole seconds, up to 9,223,372,036, so that nanoseconds fit a signed 64-bit number.
 *
 * @param host to listen on; empty for all addresses
 * @param port to listen on; 0 for one that the system chooses
 * @param readTimeout for each line of a frame; positive
 * @param writeTimeout for a client to take a reply; zero for no limit
 * @param maxConnections at a time; 0 for no limit
 * @param maxConnectionsPerIp at a time; 0 for no limit
 * @param autoRelease whether a closing connection releases what it holds
 * @param eventLoops that serve connections, 1 to 1,024
 */
public record TcpConfig(
        String host,
        int port,
        Duration readTimeout,
        Duration writeTimeout,
        long maxConnections,
        long maxConnectionsPerIp,
        boolean autoRelease,
        int eventLoops) {}
