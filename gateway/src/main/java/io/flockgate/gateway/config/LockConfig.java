package io.flockgate.gateway.config;

import io.flockgate.storage.StorageLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Locks and semaphores, by the options of {@link GatewayOptions#LOCKS}. Durations are whole
 * seconds, up to 9,223,372,036.
 *
 * @param limits the caps on keys, holders and waiters that the storage enforces
 */
public record LockConfig(
        Duration defaultLease,
        Duration sweepInterval,
        Duration gcInterval,
        Duration gcMaxIdle,
        StorageLimits limits,
        long maxHoldersPerClient,
        Optional<Path> fenceStateFile) {}
