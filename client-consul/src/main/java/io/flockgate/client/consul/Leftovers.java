package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * What failed calls may have left in Consul, by name. One thread cleans it up in rounds until
 * nothing is left. Each addition resets the pause between rounds to the shortest. Thread safe.
 */
abstract class Leftovers<T> {
    /** Maximum number of entries; what is not added ends only with its TTL or lease. */
    private static final int MAX = 1000;

    final ConsulApi api;
    final LeaseEnvironment environment;
    private final Executor executor;
    private final Backoff backoff;
    final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Guarded by this object. */
    final Map<String, T> left = new HashMap<>();

    private boolean working;
    private int round;

    Leftovers(ConsulApi api, LeaseEnvironment environment, Executor executor, Backoff backoff) {
        this.api = api;
        this.environment = environment;
        this.executor = executor;
        this.backoff = backoff;
    }

    /** Adds a leftover, and starts the work if necessary. */
    final synchronized void put(String name, T leftover) {
        if (left.size() >= MAX || closed.isDone()) {
            return;
        }
        left.put(name, leftover);
        round = 0;
        if (!working) {
            working = begins();
        }
    }

    private boolean begins() {
        try {
            executor.execute(this::work);
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    /** Works in rounds until {@link #isOver}. */
    abstract void work();

    /** Waits before the next round. Returns false when closed. */
    final boolean pause() {
        Pauses.sleep(nextPause(), closed);
        return !closed.isDone();
    }

    private synchronized Duration nextPause() {
        return backoff.after(++round);
    }

    final synchronized void forget(String name) {
        left.remove(name);
    }

    /** Ends the work unless something is left. */
    final synchronized boolean isOver() {
        long now = environment.ticker().nanos();
        left.values().removeIf(each -> hasEnded(each, now));
        working = !left.isEmpty() && !closed.isDone();
        return !working;
    }

    /** Whether this leftover needs no further work. */
    abstract boolean hasEnded(T leftover, long now);

    /** Ends the work. What remains ends by itself. */
    final void close() {
        closed.complete(null);
    }
}
