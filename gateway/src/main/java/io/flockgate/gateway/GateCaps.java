package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.net.HandshakeTurns;
import java.util.EnumMap;
import java.util.Map;

/** The caps of the gate: those of flags, of the heap, of the limit on open files, and constants. */
final class GateCaps {
    private GateCaps() {}

    /** A peer may have a quarter of the event streams, at least one. */
    static Map<Resource, Caps> of(GatewayConfig config, long openFiles) {
        HttpConfig http = config.http();
        long streams = http.maxEventStreams();
        Map<Resource, Caps> caps = new EnumMap<>(OpenFiles.caps(config, openFiles));
        caps.put(Resource.HANDSHAKE, HandshakeTurns.caps(Runtime.getRuntime().maxMemory()));
        caps.put(Resource.SESSION, new Caps(http.maxSessions(), http.maxSessionsPerIp()));
        caps.put(Resource.CALL, new Caps(20_000, 10_000));
        caps.put(Resource.EVENT_STREAM, new Caps(streams, Math.max(1, streams / 4)));
        caps.put(Resource.REPORT, new Caps(68, 34));
        caps.put(Resource.ENQUEUED, new Caps(100_000, 10_000));
        caps.put(Resource.SLOT, new Caps(0, config.locks().maxHoldersPerClient()));
        return caps;
    }
}
