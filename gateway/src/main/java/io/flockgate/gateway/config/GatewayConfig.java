package io.flockgate.gateway.config;

import java.time.Duration;
import java.util.Optional;

/**
 * All settings of a gateway, checked. Immutable; safe to print.
 *
 * @param fleetLock empty when it is not served
 * @param shutdownTimeout for connections to finish once the gateway stops; zero for ever
 * @param shutdownDelay before that, in which readiness is denied and all else works; may be zero
 * @param debug whether to log at DEBUG
 */
public record GatewayConfig(
        TcpConfig tcp,
        LockConfig locks,
        StorageConfig storage,
        Optional<TlsConfig> tls,
        Optional<AuthToken> auth,
        HttpConfig http,
        Optional<FleetLockConfig> fleetLock,
        Duration shutdownTimeout,
        Duration shutdownDelay,
        boolean debug) {}
