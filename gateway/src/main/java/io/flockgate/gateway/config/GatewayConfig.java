package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Resource;
import io.flockgate.storage.StorageLimits;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The configuration of a gateway, checked. Immutable; safe to print.
 *
 * @param nodeName the name of this gateway among all gateways that share its storage
 * @param fleetLock empty when FleetLock is not served
 * @param shutdownTimeout the time that connections have to finish when the gateway stops; zero for
 *     no limit
 * @param shutdownDelay the time before that, during which only the readiness check fails; may be
 *     zero
 * @param logGrants whether to log each grant and its end
 * @param debug whether to log at DEBUG
 */
public record GatewayConfig(
        TcpConfig tcp,
        LockConfig locks,
        String nodeName,
        StorageConfig storage,
        Optional<TlsConfig> tls,
        AuthConfig auth,
        HttpConfig http,
        Optional<FleetLockConfig> fleetLock,
        Duration shutdownTimeout,
        Duration shutdownDelay,
        boolean logGrants,
        boolean debug) {
    /** The caps that flags set. A peer may have a quarter of the event streams, at least one. */
    public Map<Resource, Caps> caps() {
        long streams = http.maxEventStreams();
        StorageLimits storages = locks.limits();
        return Map.of(
                Resource.CONNECTION, new Caps(tcp.maxConnections(), tcp.maxConnectionsPerIp()),
                Resource.HTTP_CONNECTION, new Caps(http.maxConnections(), http.maxConnectionsPerIp()),
                Resource.SESSION, new Caps(http.maxSessions(), http.maxSessionsPerIp()),
                Resource.RATE, new Caps(0, http.rateLimitPerIp()),
                Resource.EVENT_STREAM, new Caps(streams, Math.max(1, streams / 4)),
                Resource.SLOT, new Caps(0, locks.maxHoldersPerClient()),
                Resource.KEY, new Caps(storages.maxLocks(), 0),
                Resource.HOLDER, new Caps(storages.maxHolders(), 0),
                Resource.WAITER, new Caps(storages.maxWaiters(), 0));
    }

    GatewayConfig with(TcpConfig otherTcp, HttpConfig otherHttp) {
        return new GatewayConfig(
                otherTcp,
                locks,
                nodeName,
                storage,
                tls,
                auth,
                otherHttp,
                fleetLock,
                shutdownTimeout,
                shutdownDelay,
                logGrants,
                debug);
    }
}
