package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.kv.ConsulException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys at which claims wait, and the keys of watched grants. All claims and grants at a
 * key share its reads.
 *
 * <ol>
 *   <li>A claim or a grant waits for an update of its key: a newer view or a failure.
 *   <li>At most {@value PollSchedule#MAX_POLLS} threads make blocking reads, and one more reads the
 *       other keys one after another. {@link PollSchedule} decides which key is next.
 *   <li>Each update is passed on to everything that waits for the key.
 * </ol>
 *
 * Thread safe.
 */
final class KeyPolls {
    /** Short, because a key may keep its blocking read after the last claim has left. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LEAST_PAUSE = Duration.ofMillis(100);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));

    private final ConsulApi api;
    private final Ticker ticker;
    private final Executor executor;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile Runnable suspicion = () -> {};

    /** Guarded by this object, as are its keys. */
    private final PollSchedule schedule = new PollSchedule();

    KeyPolls(ConsulApi api, Ticker ticker, Executor executor) {
        this.api = api;
        this.ticker = ticker;
        this.executor = executor;
    }

    /**
     * Sets what to call if Consul answers too early or with an older index, as it may after a
     * restored snapshot.
     */
    void onSuspicion(Runnable look) {
        suspicion = look;
    }

    /**
     * The time, in milliseconds, within which a claim that begins to wait now would act on a free
     * slot. Its ticket states that time.
     */
    synchronized long actMillis() {
        return schedule.actMillis();
    }

    /**
     * Waits for a change of a key.
     *
     * @param last the view that the caller has seen
     * @param claim true for a claim, false for a watched grant
     * @param act for a claim, the milliseconds that its ticket states ({@link #actMillis})
     * @param nanos the longest wait
     * @param stop ends the wait early when it completes
     * @return a newer view; the last one if there was no change; null if the caller must read the
     *     key, because its indexes have restarted
     * @throws ConsulException if a read of the key has failed
     */
    @Nullable
    KeyView await(KeyView last, boolean claim, long act, long nanos, CompletableFuture<?> stop) {
        long end = ticker.nanos() + nanos;
        PolledKey key = join(last, claim, act);
        try {
            long seen = updates(key);
            KeyView found = view(key);
            while (!isNewer(found, last)) {
                CompletableFuture<Void> update = updateAfter(key, seen);
                long left = end - ticker.nanos();
                if (left <= 0 || stop.isDone() || closed.isDone()) {
                    return last;
                }
                await(update, left, stop);
                long now = updates(key);
                if (now != seen) {
                    found = answer(key, seen);
                    seen = now;
                    if (Long.compareUnsigned(found.index(), last.index()) < 0) {
                        return null;
                    }
                }
            }
            return found;
        } finally {
            leave(key, claim);
        }
    }

    private static boolean isNewer(KeyView view, KeyView last) {
        return Long.compareUnsigned(view.index(), last.index()) > 0;
    }

    private static void await(CompletableFuture<Void> update, long nanos, CompletableFuture<?> stop) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        try {
            Object unused = CompletableFuture.anyOf(update, stop, over).get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException ended) {
            // The caller checks the key again.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Errors.unavailable(ConsulException.Effect.NOT_DONE, "interrupted while waiting for Consul");
        } finally {
            // Detaches this wait from the other futures, which may live much longer.
            over.complete(null);
        }
    }

    private PolledKey join(KeyView last, boolean claim, long act) {
        PolledKey key;
        CompletableFuture<Void> update = null;
        synchronized (this) {
            key = schedule.key(last, ticker.nanos());
            if (key.add(last, claim, act)) {
                update = key.takeUpdate();
            }
            startReads();
        }
        if (update != null) {
            // The others need this view now, because a read in progress may find nothing newer.
            update.complete(null);
        }
        return key;
    }

    private synchronized long updates(PolledKey key) {
        return key.updates();
    }

    private synchronized KeyView view(PolledKey key) {
        return key.view();
    }

    /** Completes once the key has had more than {@code seen} updates. */
    private synchronized CompletableFuture<Void> updateAfter(PolledKey key, long seen) {
        return key.updates() == seen ? key.nextUpdate() : CompletableFuture.completedFuture(null);
    }

    private synchronized KeyView answer(PolledKey key, long seen) {
        ConsulException failure = key.failureAfter(seen);
        if (failure != null) {
            throw new ConsulException(failure.kind(), failure.effect(), String.valueOf(failure.getMessage()), failure);
        }
        return key.view();
    }

    private synchronized void leave(PolledKey key, boolean claim) {
        key.remove(claim);
        schedule.removeIfUnused(key);
    }

    /** Starts threads for the keys that have no read. */
    private void startReads() {
        if (schedule.needsPoll() && start(this::poll)) {
            schedule.pollStarted();
        }
        startTurns();
    }

    private void startTurns() {
        if (schedule.needsTurns() && start(this::turn)) {
            schedule.turnsStarted();
        }
    }

    private boolean start(Runnable reads) {
        try {
            executor.execute(reads);
            return true;
        } catch (RejectedExecutionException closing) {
            return false;
        }
    }

    /** Makes blocking reads until no key needs one. */
    private void poll() {
        for (PolledKey key = beginPoll(); key != null; key = beginPoll()) {
            long begun = ticker.nanos();
            boolean changed = read(key, WAIT);
            boolean early = !changed && ticker.nanos() - begun < WAIT.toNanos() / 2;
            if (early) {
                if (failures(key) == 0) {
                    suspicion.run();
                }
                // Either Consul has failed, or it may answer the next read early too.
                Pauses.sleep(pause(key), closed);
            }
            endPoll(key, changed);
        }
    }

    private synchronized int failures(PolledKey key) {
        return key.failures();
    }

    private synchronized Duration pause(PolledKey key) {
        return key.failures() == 0 ? LEAST_PAUSE : BACKOFF.after(key.failures());
    }

    private synchronized @Nullable PolledKey beginPoll() {
        PolledKey next = closed.isDone() ? null : schedule.beginPoll();
        if (next == null) {
            schedule.pollEnded();
        }
        return next;
    }

    private synchronized void endPoll(PolledKey key, boolean changed) {
        schedule.endPoll(key, changed, ticker.nanos());
        startTurns();
    }

    /**
     * Reads a key, and passes on the update.
     *
     * @param wait the time to wait for a change; zero for a plain read
     * @return whether the key has changed
     */
    private boolean read(PolledKey key, Duration wait) {
        long deadline = ticker.nanos() + wait.toNanos() + PATIENCE.toNanos();
        long from = view(key).index();
        try {
            KeyView read = wait.isZero()
                    ? api.read(key.path(), deadline)
                    : api.await(key.path(), from, wait, deadline, closed);
            if (Long.compareUnsigned(read.index(), from) < 0) {
                suspicion.run();
            }
            return answered(key, read, from);
        } catch (ConsulException failed) {
            failed(key, failed);
            return false;
        } catch (RuntimeException failed) {
            failed(key, Errors.unavailable(ConsulException.Effect.UNKNOWN, "the client failed: " + failed));
            return false;
        }
    }

    private boolean answered(PolledKey key, KeyView read, long from) {
        CompletableFuture<Void> update;
        synchronized (this) {
            if (!key.answered(read, from)) {
                return false;
            }
            update = key.takeUpdate();
        }
        update.complete(null);
        return true;
    }

    private void failed(PolledKey key, ConsulException failure) {
        CompletableFuture<Void> update;
        synchronized (this) {
            if (closed.isDone()) {
                return;
            }
            key.failed(failure);
            update = key.takeUpdate();
        }
        update.complete(null);
    }

    /** Reads the keys that have no blocking read, one at a time, until every key has one. */
    private void turn() {
        while (true) {
            PolledKey key;
            long left;
            synchronized (this) {
                long now = ticker.nanos();
                key = schedule.nextTurn(now);
                if (key == null || closed.isDone()) {
                    schedule.turnsEnded();
                    return;
                }
                left = schedule.untilTurn(key, now);
                if (left <= 0) {
                    key.beginRead(false);
                }
            }
            if (left > 0) {
                Pauses.sleep(Duration.ofNanos(Math.min(left, LOOK_NANOS)), closed);
            } else {
                readInTurn(key);
            }
        }
    }

    private void readInTurn(PolledKey key) {
        long begun = ticker.nanos();
        boolean unused = read(key, Duration.ZERO);
        synchronized (this) {
            schedule.endTurn(key, begun, ticker.nanos());
            startReads();
        }
    }

    /** Ends the reads. */
    void close() {
        closed.complete(null);
    }
}
