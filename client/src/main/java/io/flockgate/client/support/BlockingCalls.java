package io.flockgate.client.support;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.concurrent.Threads;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the blocking calls of a back end on threads, and returns their results as stages.
 *
 * <ol>
 *   <li>A call that may wait long has its own thread. At most {@value #MAX_SHORT} short calls run
 *       concurrently. The others wait without a thread, and renewals go first.
 *   <li>Once it is closed, no further call begins. Running calls continue, and may start tasks with
 *       {@link #execute}.
 *   <li>When the last one has ended, the resources of the back end are freed: connections, and
 *       threads unless they belong to the user.
 * </ol>
 *
 * Thread safe.
 */
public final class BlockingCalls implements Executor {
    /**
     * The maximum number of concurrent short calls. This many connections carry several thousand
     * requests a second that the server answers at once.
     */
    static final int MAX_SHORT = 16;

    /** The kinds of calls, by how they share the threads. */
    public enum Order {
        /** Renews what would be lost otherwise. */
        RENEWAL,
        SHORT,
        /** May take as long as a claim waits. */
        LONG
    }

    private final Executor executor;
    private final @Nullable ExecutorService own;

    /** Waiting short calls, at most as many as there are leases. Guarded by this object. */
    private final Deque<Runnable> renewals = new ArrayDeque<>();

    private final Deque<Runnable> others = new ArrayDeque<>();
    private int shortRunning;

    /** Guarded by this object. */
    private int running;

    private boolean closed;
    private @Nullable Runnable whenIdle;

    /**
     * Starts without running calls.
     *
     * @param given the user's threads; null to create threads
     * @param name the name of created threads
     */
    public BlockingCalls(@Nullable Executor given, String name) {
        ExecutorService threads = given == null ? Threads.perTask(name) : null;
        this.own = threads;
        this.executor = threads == null ? Objects.requireNonNull(given) : threads;
    }

    /** The threads, for tasks that the closing need not wait for. */
    public Executor threads() {
        return executor;
    }

    /**
     * Runs a call.
     *
     * @param told maps a failure to the exception that the caller receives
     */
    public <T> CompletionStage<T> call(Callable<T> call, Function<Throwable, Throwable> told) {
        return call(Order.LONG, call, told);
    }

    /** Runs a call when its turn comes. */
    public <T> CompletionStage<T> call(Order order, Callable<T> call, Function<Throwable, Throwable> told) {
        if (isClosed()) {
            return CompletableFuture.failedStage(new LeaseClosedException("the client is closed"));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            execute(order, () -> {
                try {
                    result.complete(call.call());
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    result.completeExceptionally(
                            new LeaseUnavailableException("the client's thread was interrupted", true, interrupted));
                } catch (Throwable failed) {
                    result.completeExceptionally(told.apply(failed));
                }
            });
        } catch (RejectedExecutionException refused) {
            result.completeExceptionally(
                    isClosed()
                            ? new LeaseClosedException("the client is closed")
                            : new LeaseUnavailableException("the executor accepts no more calls", false, refused));
        }
        return result;
    }

    /**
     * Runs a task of the back end, which ends soon after the back end is closed.
     *
     * @throws RejectedExecutionException if the back end is closed and nothing is running any
     *     longer, or its threads accept no task
     */
    @Override
    public void execute(Runnable task) {
        execute(Order.LONG, task);
    }

    private void execute(Order order, Runnable task) {
        begin();
        Runnable counted = () -> {
            try {
                task.run();
            } finally {
                end();
            }
        };
        try {
            if (order == Order.LONG) {
                executor.execute(counted);
            } else if (mayStart(order, counted)) {
                startShort(counted);
            }
        } catch (RejectedExecutionException refused) {
            end();
            throw refused;
        }
    }

    /** Takes a place among the running short calls, or enqueues the task. */
    private synchronized boolean mayStart(Order order, Runnable task) {
        if (shortRunning < MAX_SHORT) {
            shortRunning++;
            return true;
        }
        (order == Order.RENEWAL ? renewals : others).add(task);
        return false;
    }

    private void startShort(Runnable first) {
        try {
            executor.execute(() -> {
                for (Runnable next = first; next != null; next = nextShort()) {
                    next.run();
                }
            });
        } catch (RejectedExecutionException refused) {
            synchronized (this) {
                shortRunning--;
            }
            throw refused;
        }
    }

    /** The next short call; null if none waits, in which case the place is given up. */
    private synchronized @Nullable Runnable nextShort() {
        Runnable next = renewals.isEmpty() ? others.poll() : renewals.poll();
        if (next == null) {
            shortRunning--;
        }
        return next;
    }

    private synchronized void begin() {
        if (closed && running == 0) {
            throw new RejectedExecutionException("closed");
        }
        running++;
    }

    private void end() {
        Runnable last;
        synchronized (this) {
            running--;
            last = idle();
        }
        free(last);
    }

    /** The work to do now that nothing is running any longer; null if there is none. */
    private synchronized @Nullable Runnable idle() {
        Runnable last = closed && running == 0 ? whenIdle : null;
        whenIdle = last == null ? whenIdle : null;
        return last;
    }

    private void free(@Nullable Runnable last) {
        if (last != null) {
            last.run();
            if (own != null) {
                own.shutdown();
            }
        }
    }

    /** Whether the back end is closed. */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Rejects further calls.
     *
     * @param resources frees the connections once no call is running, possibly before this method
     *     returns
     */
    public void close(Runnable resources) {
        Runnable last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            whenIdle = resources;
            last = idle();
        }
        free(last);
    }
}
