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
 * Runs the blocking calls of a back end on threads, and answers them by stages.
 *
 * <ol>
 *   <li>A call that waits long has a thread of its own. Of short calls at most {@value #MAX_SHORT}
 *       run concurrently. The others wait without a thread, renewals before the rest.
 *   <li>Once it is closed, no call begins. Calls that run go on, and may begin tasks with {@link
 *       #execute}.
 *   <li>When the last one has ended, the resources of the back end are freed: connections, and
 *       threads unless they are the user's.
 * </ol>
 *
 * Thread safe.
 */
public final class BlockingCalls implements Executor {
    /**
     * Requests that a server answers at once. So many connections carry some thousand of them a
     * second.
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

    /** Short calls that wait, as many as there are leases at most. Guarded by this object. */
    private final Deque<Runnable> renewals = new ArrayDeque<>();

    private final Deque<Runnable> others = new ArrayDeque<>();
    private int shortRunning;

    /** Guarded by this object. */
    private int running;

    private boolean closed;
    private @Nullable Runnable whenIdle;

    /**
     * Nothing runs yet.
     *
     * @param given the user's threads; null for own ones
     * @param name the name of own threads
     */
    public BlockingCalls(@Nullable Executor given, String name) {
        ExecutorService threads = given == null ? Threads.perTask(name) : null;
        this.own = threads;
        this.executor = threads == null ? Objects.requireNonNull(given) : threads;
    }

    /** The threads, for tasks that need not be waited for. */
    public Executor threads() {
        return executor;
    }

    /**
     * Runs a call.
     *
     * @param told what the caller is told of a failure
     */
    public <T> CompletionStage<T> call(Callable<T> call, Function<Throwable, Throwable> told) {
        return call(Order.LONG, call, told);
    }

    /** Runs a call in its turn. */
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
                            : new LeaseUnavailableException("the executor takes no more calls", false, refused));
        }
        return result;
    }

    /**
     * Runs a task of the back end, which ends soon after the back end is closed.
     *
     * @throws RejectedExecutionException if the back end is closed and nothing runs any more, or
     *     its threads take no task
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

    /** Takes a place among the running short calls, or lets the task wait. */
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

    /** The next short call; null gives the place up. */
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

    /** The work that is to be done now, because nothing runs any more; null if there is none. */
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
     * Begins no more calls.
     *
     * @param resources frees the connections, when no call runs any more; possibly before this
     *     method returns
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
