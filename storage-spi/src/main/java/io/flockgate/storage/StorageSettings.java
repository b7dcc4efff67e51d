package io.flockgate.storage;

import io.flockgate.options.OptionValues;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The settings with which every storage is opened. Safe to print.
 *
 * @param vertx for storages that need event loops, timers or workers
 * @param clock monotonic nanoseconds, from any thread: {@link System#nanoTime}, except that for any
 *     one thread it may stand still during a piece of work
 * @param gateway this gateway, as operators see it
 * @param limits the caps on keys, holders and waiters
 * @param options the values of the options that the storage declares
 */
public record StorageSettings(
        Vertx vertx,
        LongSupplier clock,
        GatewayView gateway,
        StorageLimits limits,
        Upkeep upkeep,
        OptionValues options) {
    /**
     * The caps that a storage enforces. A lock has one holder at most, so only semaphores need caps
     * on holders.
     *
     * @param maxLocks the maximum number of keys, at least 1
     * @param maxHolders the maximum number of held slots of all semaphores together; 0 for no limit
     * @param maxWaiters the longest queue of a key; 0 for no limit
     */
    public record StorageLimits(long maxLocks, long maxHolders, long maxWaiters) {}

    /**
     * The work that a storage does by itself.
     *
     * @param sweepInterval the time between two searches for ended leases that a timer may have
     *     missed
     * @param gcInterval the time between two searches for idle keys
     * @param gcMaxIdle a key idle for longer than this is forgotten
     */
    public record Upkeep(Duration sweepInterval, Duration gcInterval, Duration gcMaxIdle) {}
}
