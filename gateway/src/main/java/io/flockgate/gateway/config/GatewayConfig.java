package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import java.time.Duration;
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
