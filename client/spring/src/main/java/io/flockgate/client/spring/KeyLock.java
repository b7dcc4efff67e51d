package io.flockgate.client.spring;

import io.flockgate.client.LeaseLock;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.LeaseProvider;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one key in this process while threads hold or wait for it: one for each time to
 * live. Locks with different times exclude each other at the server. Once no thread uses the key,
 * its locks hold and claim nothing, so nothing needs to be closed. Safe from any thread.
 */
final class KeyLock {
    /**
     * The lock with one time to live.
     *
     * @param renewable the longest time that a renewal reliably provides: a renewal counts from its
     *     sending, so the time until its answer is deducted
     */
    record Timed(LeaseLock lock, Duration renewable) {}

    private final Map<Duration, Timed> byTtl = new ConcurrentHashMap<>();

    /** The number of locks that are held or waited for. Guarded by the map of the registry. */
    int users;

    /** The lock for a thread that locks with this time. An inner lock keeps the outermost time. */
    LeaseLock of(LeaseProvider leases, String name, Duration ttl) {
        Timed mine = mine();
        return (mine != null ? mine : byTtl.computeIfAbsent(ttl, time -> timed(leases, name, time))).lock();
    }

    private static Timed timed(LeaseProvider leases, String name, Duration ttl) {
        LeaseOptions options = LeaseOptions.named(name).ttl(ttl).build();
        return new Timed(
                new LeaseLock(leases, options),
                ttl.minus(options.safetyMargin()).minus(options.requestTimeout()));
    }

    /** The lock that this thread has locked, even if it has lost it; null without one. */
    @Nullable
    Timed mine() {
        return byTtl.values().stream()
                .filter(timed -> timed.lock().holdCount() > 0)
                .findFirst()
                .orElse(null);
    }
}
