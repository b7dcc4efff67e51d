package io.flockgate.gateway.net;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
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
 *   <li>Address groups take turns, so that one address with many handshakes does not delay the
 *       others.
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

    @GuardedBy("this")
    private final SequencedMap<String, SequencedSet<Lane>> groups = new LinkedHashMap<>();

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
     * @param group the address group of its client
     */
    Lane lane(String group) {
        return new Lane(group);
    }

    /** Runs the tasks of one connection, which has at most one queued or running. */
    final class Lane implements Executor {
        private final String group;
        private @Nullable Runnable task;
        private boolean closed;

        private Lane(String group) {
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
        groups.computeIfAbsent(lane.group, ignored -> new LinkedHashSet<>()).addLast(lane);
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
            groups.computeIfPresent(lane.group, (group, lanes) -> lanes.remove(lane) && lanes.isEmpty() ? null : lanes);
        }
    }

    /**
     * Discards the queue and the worker that could not start, because the pool accepts no further
     * tasks.
     */
    private synchronized void stopped() {
        workers--;
        groups.clear();
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
        if (groups.isEmpty()) {
            workers--;
            return null;
        }
        Map.Entry<String, SequencedSet<Lane>> first = groups.pollFirstEntry();
        SequencedSet<Lane> lanes = first.getValue();
        Lane lane = lanes.removeFirst();
        if (!lanes.isEmpty()) {
            groups.putLast(first.getKey(), lanes);
        }
        Runnable task = lane.task;
        lane.task = null;
        return task;
    }

    /** The number of queued tasks. */
    synchronized int waiting() {
        return groups.values().stream().mapToInt(SequencedSet::size).sum();
    }
}
