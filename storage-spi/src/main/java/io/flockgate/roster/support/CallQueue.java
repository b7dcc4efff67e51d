package io.flockgate.roster.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The calls that wait for a worker. Starts the worker if it is not running. Thread safe. */
public final class CallQueue {
    /** The maximum number of waiting calls. */
    public static final int MAX_WAITING = 4096;

    private final String store;
    private final Runnable startWorker;

    @GuardedBy("this")
    private final Queue<RosterCall<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean running;

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param store the place to which the worker writes, for messages
     * @param startWorker starts the worker on its own thread; called only while none is running
     */
    public CallQueue(String store, Runnable startWorker) {
        this.store = store;
        this.startWorker = startWorker;
    }

    /** Adds a call, or refuses it. */
    public void submit(RosterCall<?> call) {
        StorageException refusal;
        synchronized (this) {
            refusal = refusal();
            if (refusal == null) {
                waiting.add(call);
            }
        }
        if (refusal == null) {
            wake();
        } else {
            call.refuse(refusal);
        }
    }

    @GuardedBy("this")
    private @Nullable StorageException refusal() {
        if (closed) {
            return closedFailure();
        }
        return waiting.size() < MAX_WAITING
                ? null
                : new StorageException(
                        FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many calls are waiting for " + store);
    }

    /** The failure of every call after {@link #close}. */
    public static StorageException closedFailure() {
        return new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed");
    }

    /** Starts the worker if none is running. */
    public void wake() {
        synchronized (this) {
            if (running) {
                return;
            }
            running = true;
        }
        startWorker.run();
    }

    /**
     * Moves waiting calls to the end of a batch until it contains {@code max} calls. Skips calls
     * that were given up.
     */
    public synchronized void drainTo(List<RosterCall<?>> batch, int max) {
        while (batch.size() < max && !waiting.isEmpty()) {
            RosterCall<?> next = waiting.remove();
            if (!next.isAnswered()) {
                batch.add(next);
            }
        }
    }

    /**
     * Whether the worker must continue. If not, the worker ends, and the next call starts another
     * one.
     *
     * @param more whether the worker has work in addition to the waiting calls
     */
    public synchronized boolean keepRunning(boolean more) {
        running = more || !waiting.isEmpty();
        return running;
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    /** Refuses all later calls; the waiting ones stay. */
    public synchronized void close() {
        closed = true;
    }
}
