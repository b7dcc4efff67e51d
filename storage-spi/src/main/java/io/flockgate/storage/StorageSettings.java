package io.flockgate.storage;

import io.flockgate.options.OptionValues;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The settings that every storage is opened with. Safe to print.
 *
 * @param vertx for those that need event loops, timers or workers
 * @param clock monotonic nanoseconds, from any thread: {@link System#nanoTime}, but for one thread it may stand still while
 *     that does one piece of work
 * @param gateway this gateway's node name
 * @param maxLocks the most keys that may exist at a time, from 1 on
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param sweepInterval how often to look for ended leases that a timer may have missed
 * @param gcInterval how often to look for idle keys to forget
 * @param gcMaxIdle a key idle for longer than this is forgotten
 * @param fenceStateFile where the highest fence is kept over restarts; empty for the wall clock's word
 * @param options those that the storage declares
 */
public record StorageSettings(
        Vertx vertx,
        LongSupplier clock,
        String gateway,
        long maxLocks,
        long maxWaiters,
        Duration sweepInterval,
        Duration gcInterval,
        Duration gcMaxIdle,
        Optional<Path> fenceStateFile,
        OptionValues options) {}
