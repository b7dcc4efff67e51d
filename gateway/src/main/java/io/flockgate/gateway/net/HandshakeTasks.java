package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the computations of TLS handshakes, a few milliseconds each, outside the event loops.
 *
 * <ol>
 *   <li>A connection has at most one task in the queue or running.
 *   <li>Sites take turns, and in a site its address groups, so that clients with many handshakes,
 *       and sites with many groups, do not delay the others.
 *   <li>A connection that closes removes its task from the queue, so the queue is never longer than
 *       the number of open connections.
 * </ol>
 *
 * <p>Thread safe.
 */
final class HandshakeTasks {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeTasks.class);

    private final Executor pool;
    private final int maxWorkers;

    /** The queued lanes by site and group. No map or set in it is empty. */
    @GuardedBy("this")
    private final SequencedMap<String, SequencedMap<String, SequencedSet<Lane>>> sites = new LinkedHashMap<>();

    @GuardedBy("this")
    private int workers;

    /**
     * @param maxWorkers the maximum number of tasks that run concurrently on the pool
     */
    HandshakeTasks(Executor pool, int maxWorkers) {
        this.pool = pool;
        this.maxWorkers = maxWorkers;
    }

    /**
     * Creates the executor of one connection.
     *
     * @param site that of its client
     * @param group the address group of its client
     */
    Lane lane(String site, String group) {
        return new Lane(site, group);
    }

    /** Runs the tasks of one connection, which has at most one queued or running. */
    final class Lane implements Executor {
        private final String site;
        private final String group;
        private @Nullable Runnable task;
        private boolean closed;

        private Lane(String site, String group) {
            this.site = site;
            this.group = group;
        }

        @Override
        public void execute(Runnable command) {
            if (!add(this, command)) {
                return;
            }
            try {
                pool.execute(HandshakeTasks.this::work);
            } catch (RejectedExecutionException e) {
                // The process is shutting down and closes its connections anyway.
                stopped();
            }
        }

        /** Drops the queued task and any later one. A task that is already running continues. */
        void close() {
            remove(this);
        }
    }

    /** Queues a task. Returns whether another worker must start. */
    private synchronized boolean add(Lane lane, Runnable task) {
        if (lane.closed) {
            return false;
        }
        lane.task = task;
        sites.computeIfAbsent(lane.site, ignored -> new LinkedHashMap<>())
                .computeIfAbsent(lane.group, ignored -> new LinkedHashSet<>())
                .addLast(lane);
        if (workers == maxWorkers) {
            return false;
        }
        workers++;
        return true;
    }

    private synchronized void remove(Lane lane) {
        lane.closed = true;
        if (lane.task != null) {
            lane.task = null;
            sites.computeIfPresent(lane.site, (site, groups) -> {
                groups.computeIfPresent(
                        lane.group, (group, lanes) -> lanes.remove(lane) && lanes.isEmpty() ? null : lanes);
                return groups.isEmpty() ? null : groups;
            });
        }
    }

    /**
     * Discards the queue and the worker that could not start, because the pool accepts no further
     * tasks.
     */
    private synchronized void stopped() {
        workers--;
        sites.clear();
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RejectedExecutionException e) {
                // The connection's event loop has ended, because the process is shutting down.
            } catch (RuntimeException e) {
                // The deadline of its handshake ends the connection. The worker must continue with
                // the others.
                LOG.error("a computation of a TLS handshake failed", e);
            }
        }
    }

    /** The first task of the group whose turn it is; null ends the worker. */
    private synchronized @Nullable Runnable next() {
        if (sites.isEmpty()) {
            workers--;
            return null;
        }
        var site = sites.pollFirstEntry();
        var group = site.getValue().pollFirstEntry();
        Lane lane = group.getValue().removeFirst();
        if (!group.getValue().isEmpty()) {
            site.getValue().putLast(group.getKey(), group.getValue());
        }
        if (!site.getValue().isEmpty()) {
            sites.putLast(site.getKey(), site.getValue());
        }
        Runnable task = lane.task;
        lane.task = null;
        return task;
    }

    /** The number of queued tasks. */
    synchronized int waiting() {
        return sites.values().stream()
                .flatMap(groups -> groups.values().stream())
                .mapToInt(SequencedSet::size)
                .sum();
    }
}
