package io.flockgate.gateway.config;

import io.flockgate.storage.StorageLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Locks and semaphores. Durations are whole seconds, up to 9,223,372,036.
 *
 * @param defaultLease the lease of a request that names none; positive
 * @param sweepInterval the time between two searches for ended leases; positive
 * @param gcInterval the time between two searches for idle keys; positive
 * @param gcMaxIdle the time after which an idle key is forgotten; may be zero
 * @param limits the caps on keys, holders and waiters that the storage enforces
 * @param maxHoldersPerClient the maximum number of slots of semaphores that a client holds; 0 for
 *     no limit
 * @param maxEnqueued the maximum number of enqueued claims of all clients; 0 for no limit
 * @param maxEnqueuedPerClient the maximum number of enqueued claims of one client; 0 for no limit
 * @param fenceStateFile the file that keeps the fence ceiling across restarts
 */
public record LockConfig(
        Duration defaultLease,
        Duration sweepInterval,
        Duration gcInterval,
        Duration gcMaxIdle,
        StorageLimits limits,
        long maxHoldersPerClient,
        long maxEnqueued,
        long maxEnqueuedPerClient,
        Optional<Path> fenceStateFile) {}
