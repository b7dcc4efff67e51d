package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import java.time.Duration;
import java.util.Optional;

/**
 * The configuration of a gateway, checked. Immutable; safe to print.
 *
 * @param nodeName this gateway among all that share its storage
 * @param fleetLock empty when it is not served
 * @param shutdownTimeout for connections to finish once the gateway stops; zero for ever
 * @param shutdownDelay before that, in which readiness is denied and all else works; may be zero
 * @param debug whether to log at DEBUG
 */
public record GatewayConfig(
        TcpConfig tcp,
        LockConfig locks,
        String nodeName,
        StorageConfig storage,
        Optional<TlsConfig> tls,
        Optional<AuthToken> auth,
        HttpConfig http,
        Optional<FleetLockConfig> fleetLock,
        Duration shutdownTimeout,
        Duration shutdownDelay,
        boolean debug) {}
