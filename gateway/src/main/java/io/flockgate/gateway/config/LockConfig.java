package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Locks and semaphores. Durations are whole seconds, up to 9,223,372,036.
 *
 * @param defaultLease of a request that names none; positive
 * @param sweepInterval between looks for ended leases; positive
 * @param gcInterval between looks for idle keys; positive
 * @param gcMaxIdle after which an idle key is forgotten; may be zero
 * @param maxLocks the most keys, from 1 on
 * @param maxWaiters the longest queue of a key; 0 for no limit
 * @param fenceStateFile where the fence ceiling is kept over restarts
 */
public record LockConfig(
        Duration defaultLease,
        Duration sweepInterval,
        Duration gcInterval,
        Duration gcMaxIdle,
        long maxLocks,
        long maxWaiters,
        Optional<Path> fenceStateFile) {}
