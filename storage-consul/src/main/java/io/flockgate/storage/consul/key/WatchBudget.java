package io.flockgate.storage.consul.key;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.consul.environment.Environment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A limit on the concurrent blocking reads of single keys, because all gateways on an agent share
 * its connections. Other keys receive their changes from the read of all keys. Thread safe.
 *
 * <ol>
 *   <li>When the agent refuses a connection, a quarter of the watches end, the newest first,
 *       because renewals and commands need their connections.
 *   <li>Starting ten seconds later, the limit rises by one a second, up to its maximum.
 * </ol>
 */
final class WatchBudget {
    /**
     * Refusals in quick succession count once, because ended watches need a moment to make room.
     */
    private static final long TOGETHER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final int max;

    @GuardedBy("this")
    private final SequencedSet<Watch> running = new LinkedHashSet<>();

    @GuardedBy("this")
    private final Set<Watch> lacking = new HashSet<>();

    @GuardedBy("this")
    private int limit;

    @GuardedBy("this")
    private boolean crowded;

    @GuardedBy("this")
    private long crowdedAt;

    /** The time until which the limit has risen. */
    @GuardedBy("this")
    private long risenAt;

    /** A watch that this budget can end. */
    interface Watch {
        /** Ends the watch. May be called on any thread. */
        void revoke();
    }

    WatchBudget(Environment environment, int max) {
        this.environment = environment;
        this.max = max;
        this.limit = max;
    }

    /**
     * Counts a watch that begins. Returns false when there are too many; the key then lacks a watch
     * until {@link #giveBack}.
     */
    synchronized boolean take(Watch watch) {
        rise();
        if (running.size() >= limit) {
            lacking.add(watch);
            return false;
        }
        lacking.remove(watch);
        running.add(watch);
        return true;
    }

    /** Records that the watch has ended or is no longer needed. */
    synchronized void giveBack(Watch watch) {
        running.remove(watch);
        lacking.remove(watch);
    }

    /** Whether a key needs a watch and has none. */
    synchronized boolean isShort() {
        return !lacking.isEmpty();
    }

    @GuardedBy("this")
    private void rise() {
        long now = environment.now();
        long steps = (now - risenAt) / STEP_NANOS;
        if (limit < max && steps > 0) {
            limit = (int) Math.min(max, limit + steps);
            risenAt = now;
        }
    }

    /** Records that the agent has refused a connection. */
    void refused() {
        shrink().forEach(Watch::revoke);
    }

    private synchronized List<Watch> shrink() {
        long now = environment.now();
        if (crowded && now - crowdedAt < TOGETHER_NANOS) {
            return List.of();
        }
        crowded = true;
        crowdedAt = now;
        risenAt = now + QUIET_NANOS;
        limit = Math.min(limit, running.size()) * 3 / 4;
        List<Watch> ended = new ArrayList<>();
        while (running.size() > limit) {
            Watch newest = running.removeLast();
            lacking.add(newest);
            ended.add(newest);
        }
        return ended;
    }
}
