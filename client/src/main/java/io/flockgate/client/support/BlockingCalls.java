package io.flockgate.client.support;

import io.flockgate.client.LeaseClosedException;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.concurrent.Threads;
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
 * Runs the blocking calls of a back end, each on a thread, and answers them by stages.
 *
 * <ol>
 *   <li>Once it is closed, no call begins. Calls that run go on, and may begin tasks with {@link #execute}.
 *   <li>When the last one has ended, the resources of the back end are freed: connections, and threads unless they are the user's.
 * </ol>
 *
 * Thread safe.
 */
public final class BlockingCalls implements Executor {
    private final Executor executor;
    private final @Nullable ExecutorService own;

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
        if (isClosed()) {
            return CompletableFuture.failedStage(new LeaseClosedException("the client is closed"));
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            execute(() -> {
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
     * @throws RejectedExecutionException if the back end is closed and nothing runs any more, or its threads take no task
     */
    @Override
    public void execute(Runnable task) {
        begin();
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } finally {
                    end();
                }
            });
        } catch (RejectedExecutionException refused) {
            end();
            throw refused;
        }
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
     * @param resources frees the connections, when no call runs any more; possibly before this method returns
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
