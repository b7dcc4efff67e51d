package io.flockgate.storage;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * The settings that every storage is opened with.
 *
 * @param vertx for those that need event loops, timers or workers
 * @param clock monotonic nanoseconds, from any thread: {@link System#nanoTime}, but for one thread it may stand still while
 *     that does one piece of work
 * @param maxLocks the most keys that may exist at a time, from 1 on
 * @param maxWaiters the longest queue of a key; 0 for no bound
 * @param sweepInterval how often to look for ended leases that a timer may have missed
 * @param gcInterval how often to look for idle keys to forget
 * @param gcMaxIdle a key idle for longer than this is forgotten
 * @param fenceStateFile where the highest fence is kept over restarts; empty for the wall clock's word
 * @param options settings of one storage only, by flag name without dashes: those that were given and those that have a
 *     default, checked as text; may hold secrets
 */
public record StorageSettings(
        Vertx vertx,
        LongSupplier clock,
        long maxLocks,
        long maxWaiters,
        Duration sweepInterval,
        Duration gcInterval,
        Duration gcMaxIdle,
        Optional<Path> fenceStateFile,
        Map<String, String> options) {
    public StorageSettings {
        options = Map.copyOf(options);
    }

    /** Without the options' values, some of which are secrets. */
    @Override
    public String toString() {
        return "StorageSettings[maxLocks=" + maxLocks + ", maxWaiters=" + maxWaiters + ", sweepInterval="
                + sweepInterval
                + ", gcInterval=" + gcInterval + ", gcMaxIdle=" + gcMaxIdle + ", fenceStateFile=" + fenceStateFile
                + ", options=" + new TreeSet<>(options.keySet()) + "]";
    }
}
