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
 * What failed calls may have left in Consul, by name. One thread works in rounds while there is
 * something left. After each addition, the pauses between the rounds begin anew. Thread safe.
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

    /** Works on this one from now on. */
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

    /** Waits before the next round. Returns whether there is to be one. */
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

    /** Whether nothing needs to be done about this one any more. */
    abstract boolean hasEnded(T leftover, long now);

    /** Ends the work. What remains ends by itself. */
    final void close() {
        closed.complete(null);
    }
}
