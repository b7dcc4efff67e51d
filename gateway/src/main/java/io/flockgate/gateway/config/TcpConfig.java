package io.flockgate.gateway.config;

import java.time.Duration;
import java.util.List;

/**
 * The TCP server, by the options of {@link GatewayOptions#TCP}. Durations are whole seconds, up to
 * 9,223,372,036, so that nanoseconds fit a signed 64-bit number.
 *
 * @param host the address to listen on; empty for all addresses
 * @param proxies those that begin each connection with a PROXY header, on both ports
 */
public record TcpConfig(
        String host,
        int port,
        Duration readTimeout,
        Duration writeTimeout,
        long maxConnections,
        long maxConnectionsPerIp,
        boolean autoRelease,
        int eventLoops,
        List<Network> proxies) {
    public TcpConfig {
        proxies = List.copyOf(proxies);
    }

    TcpConfig withCaps(long connections, long connectionsPerIp) {
        return new TcpConfig(
                host, port, readTimeout, writeTimeout, connections, connectionsPerIp, autoRelease, eventLoops, proxies);
    }
}
