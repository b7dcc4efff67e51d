package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.net.HandshakeTurns;
import io.flockgate.storage.StorageLimits;
import java.util.Map;

/** The caps of the gate: those of flags, of the heap, and constants. */
final class GateCaps {
    private GateCaps() {}

    /** A peer may have a quarter of the event streams, at least one. */
    static Map<Resource, Caps> of(GatewayConfig config) {
        HttpConfig http = config.http();
        long streams = http.maxEventStreams();
        StorageLimits storages = config.locks().limits();
        return Map.ofEntries(
                entry(
                        Resource.CONNECTION,
                        config.tcp().maxConnections(),
                        config.tcp().maxConnectionsPerIp()),
                entry(Resource.HTTP_CONNECTION, http.maxConnections(), http.maxConnectionsPerIp()),
                Map.entry(
                        Resource.HANDSHAKE,
                        HandshakeTurns.caps(Runtime.getRuntime().maxMemory())),
                entry(Resource.SESSION, http.maxSessions(), http.maxSessionsPerIp()),
                entry(Resource.CALL, 20_000, 10_000),
                entry(Resource.RATE, 0, http.rateLimitPerIp()),
                entry(Resource.EVENT_STREAM, streams, Math.max(1, streams / 4)),
                entry(Resource.REPORT, 68, 34),
                entry(Resource.ENQUEUED, 100_000, 10_000),
                entry(Resource.SLOT, 0, config.locks().maxHoldersPerClient()),
                entry(Resource.KEY, storages.maxLocks(), 0),
                entry(Resource.HOLDER, storages.maxHolders(), 0),
                entry(Resource.WAITER, storages.maxWaiters(), 0));
    }

    private static Map.Entry<Resource, Caps> entry(Resource resource, long total, long perPeer) {
        return Map.entry(resource, new Caps(total, perPeer));
    }
}
