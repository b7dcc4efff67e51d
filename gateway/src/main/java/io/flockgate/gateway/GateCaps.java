package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.net.HandshakeTurns;
import io.flockgate.storage.StorageLimits;
import java.util.Map;

/** The caps of the gate that flags or the size of the heap set. */
final class GateCaps {
    private GateCaps() {}

    /** A peer may have a quarter of the event streams, at least one. */
    static Map<Resource, Caps> of(GatewayConfig config) {
        long streams = config.http().maxEventStreams();
        StorageLimits storages = config.locks().limits();
        return Map.of(
                Resource.HANDSHAKE,
                HandshakeTurns.caps(Runtime.getRuntime().maxMemory()),
                Resource.CONNECTION,
                new Caps(config.tcp().maxConnections(), config.tcp().maxConnectionsPerIp()),
                Resource.HTTP_CONNECTION,
                new Caps(config.http().maxConnections(), config.http().maxConnectionsPerIp()),
                Resource.SESSION,
                new Caps(config.http().maxSessions(), config.http().maxSessionsPerIp()),
                Resource.RATE,
                new Caps(0, config.http().rateLimitPerIp()),
                Resource.EVENT_STREAM,
                new Caps(streams, Math.max(1, streams / 4)),
                Resource.SLOT,
                new Caps(0, config.locks().maxHoldersPerClient()),
                Resource.KEY,
                new Caps(storages.maxLocks(), 0),
                Resource.HOLDER,
                new Caps(storages.maxHolders(), 0),
                Resource.WAITER,
                new Caps(storages.maxWaiters(), 0));
    }
}
