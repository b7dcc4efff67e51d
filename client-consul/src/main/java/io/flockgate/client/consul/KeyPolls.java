package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment.Ticker;
import io.flockgate.client.concurrent.Backoff;
import io.flockgate.client.concurrent.Pauses;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.TicketMark;
import io.flockgate.consul.kv.ConsulException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the keys at which claims wait, and the keys of watched grants, once for all of them.
 *
 * <ol>
 *   <li>{@value #MAX_POLLS} keys have a blocking read. Keys with claims come first. Grants alone
 *       have at most {@value #MAX_GRANT_POLLS} of them.
 *   <li>A blocking read that ends without a change gives its place to the next key without one: to
 *       one that has changed, if there is one.
 *   <li>The others are read in turns: those with claims twice a second, grants every two seconds.
 *       If a round takes longer, because there are many keys or Consul is slow, the tickets of
 *       later claims state that ({@link #actMillis}).
 *   <li>A view or a failure is passed on to all that wait at the key.
 * </ol>
 *
 * Thread safe.
 */
final class KeyPolls {
    static final int MAX_POLLS = 4;
    static final int MAX_GRANT_POLLS = 2;

    /** At the most. Short, because a key that is served no more may have the read still. */
    private static final Duration WAIT = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LEAST_PAUSE = Duration.ofMillis(100);
    private static final long TURN_MILLIS = 500;

    /** Grants are renewed anyway, so a loss may be seen later. */
    private static final int TURNS_OF_GRANTS = 4;

    /** At most so many reads a second, by turns. */
    private static final long LEAST_READ_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));

    private final ConsulApi api;
    private final Ticker ticker;
    private final Executor executor;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile Runnable suspicion = () -> {};

    /**
     * By prefix, in the order in which they get blocking reads. Guarded by this object, as what
     * follows.
     */
    private final Map<String, Polled> keys = new LinkedHashMap<>();

    private int polls;
    private int grantPolls;
    private boolean turning;

    /** The time that a read takes by turns, evened out. */
    private long readNanos = LEAST_READ_NANOS;

    KeyPolls(ConsulApi api, Ticker ticker, Executor executor) {
        this.api = api;
        this.ticker = ticker;
        this.executor = executor;
    }

    /**
     * Sets what to call when Consul answers too early or with an older index, as after a snapshot
     * was restored.
     */
    void onSuspicion(Runnable look) {
        suspicion = look;
    }

    /** The milliseconds within which a claim that begins to wait acts on a free slot. */
    synchronized long actMillis() {
        return TicketMark.actMillisFor(Math.max(TURN_MILLIS, roundMillis(keys.size() + 1)));
    }

    private long roundMillis(int count) {
        return TimeUnit.NANOSECONDS.toMillis(count * readNanos);
    }

    /**
     * Waits for a change of a key.
     *
     * @param last the view that the caller has seen
     * @param claim whether a claim waits, and not a grant
     * @param act the milliseconds within which its ticket says that it acts
     * @param nanos the longest wait
     * @param stop ends the wait early when it completes
     * @return a newer view; the last one if there was no change; null if the key has to be read,
     *     because its indexes have started again
     * @throws ConsulException when Consul has not answered
     */
    @Nullable
    KeyView await(KeyView last, boolean claim, long act, long nanos, CompletableFuture<?> stop) {
        long end = ticker.nanos() + nanos;
        Polled key = join(last, claim, act);
        try {
            long seen = round(key);
            KeyView found = view(key);
            while (!isNewer(found, last)) {
                CompletableFuture<Void> news = news(key, seen);
                long left = end - ticker.nanos();
                if (left <= 0 || stop.isDone() || closed.isDone()) {
                    return last;
                }
                await(news, left, stop);
                long now = round(key);
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

    private static void await(CompletableFuture<Void> news, long nanos, CompletableFuture<?> stop) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        try {
            Object unused = CompletableFuture.anyOf(news, stop, over).get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException ended) {
            // The caller looks.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw Errors.unavailable(ConsulException.Effect.NOT_DONE, "interrupted while waiting for Consul");
        } finally {
            // Nothing of this wait is left at the other futures, which may live long.
            over.complete(null);
        }
    }

    private Polled join(KeyView last, boolean claim, long act) {
        Polled key;
        CompletableFuture<Void> news = null;
        synchronized (this) {
            key = keys.computeIfAbsent(last.path().root(), absent -> new Polled(last, ticker.nanos()));
            if (key.add(last, claim, act)) {
                news = key.renewNews();
            }
            startReads();
        }
        if (news != null) {
            // A read that runs may find no more than this.
            news.complete(null);
        }
        return key;
    }

    private synchronized long round(Polled key) {
        return key.round();
    }

    private synchronized KeyView view(Polled key) {
        return key.view();
    }

    /** Completes when there are news after this round. */
    private synchronized CompletableFuture<Void> news(Polled key, long seen) {
        return key.round() == seen ? key.news() : CompletableFuture.completedFuture(null);
    }

    private synchronized KeyView answer(Polled key, long seen) {
        ConsulException failure = key.failureAfter(seen);
        if (failure != null) {
            throw new ConsulException(failure.kind(), failure.effect(), String.valueOf(failure.getMessage()), failure);
        }
        return key.view();
    }

    private synchronized void leave(Polled key, boolean claim) {
        key.remove(claim);
        forgetIfUnused(key);
    }

    /**
     * A read that runs ends soon. Until then the key stays, because the next claim often comes
     * soon.
     */
    private void forgetIfUnused(Polled key) {
        if (!key.isWatched() && !key.isReading()) {
            keys.remove(key.path().root(), key);
        }
    }

    /** Starts the threads that read, if keys are without a read. */
    private void startReads() {
        if (polls < MAX_POLLS && nextPoll() != null) {
            polls += start(this::poll) ? 1 : 0;
        }
        startTurns();
    }

    private void startTurns() {
        if (!turning && keys.size() > polls) {
            turning = start(this::turn);
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

    /** The next key for a blocking read; null if there is none. */
    private @Nullable Polled nextPoll() {
        Polled next = null;
        for (Polled each : keys.values()) {
            boolean may = !each.isReading() && each.isWatched() && (each.hasClaims() || grantPolls < MAX_GRANT_POLLS);
            next = may && (next == null || rank(each) > rank(next)) ? each : next;
        }
        return next;
    }

    private static int rank(Polled key) {
        return (key.hasClaims() ? 2 : 0) + (key.isChanging() ? 1 : 0);
    }

    /** Makes blocking reads, as long as there are keys for them. */
    private void poll() {
        for (Polled key = beginPoll(); key != null; key = beginPoll()) {
            long begun = ticker.nanos();
            boolean changed = read(key, WAIT);
            boolean early = !changed && ticker.nanos() - begun < WAIT.toNanos() / 2;
            if (early) {
                if (failures(key) == 0) {
                    suspicion.run();
                }
                // Consul has failed, or may answer at once again.
                Pauses.sleep(pause(key), closed);
            }
            endPoll(key, changed);
        }
    }

    private synchronized int failures(Polled key) {
        return key.failures();
    }

    private synchronized Duration pause(Polled key) {
        return key.failures() == 0 ? LEAST_PAUSE : BACKOFF.after(key.failures());
    }

    private synchronized @Nullable Polled beginPoll() {
        Polled next = closed.isDone() ? null : nextPoll();
        if (next == null) {
            polls--;
            return null;
        }
        next.beginRead(!next.hasClaims());
        grantPolls += next.isReadForGrants() ? 1 : 0;
        return next;
    }

    private synchronized void endPoll(Polled key, boolean changed) {
        grantPolls -= key.isReadForGrants() ? 1 : 0;
        key.endRead(ticker.nanos());
        if (!changed) {
            key.rests();
        }
        if (!changed && keys.remove(key.path().root(), key)) {
            // Behind the others.
            keys.put(key.path().root(), key);
        }
        forgetIfUnused(key);
        startTurns();
    }

    /**
     * Reads a key, and passes on what it finds.
     *
     * @param wait the time to wait for a change; zero for a plain read
     * @return whether there are news
     */
    private boolean read(Polled key, Duration wait) {
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

    private boolean answered(Polled key, KeyView read, long from) {
        CompletableFuture<Void> news;
        synchronized (this) {
            if (!key.answered(read, from)) {
                return false;
            }
            news = key.renewNews();
        }
        news.complete(null);
        return true;
    }

    private void failed(Polled key, ConsulException failure) {
        CompletableFuture<Void> news;
        synchronized (this) {
            if (closed.isDone()) {
                return;
            }
            key.failed(failure);
            news = key.renewNews();
        }
        news.complete(null);
    }

    /** Reads the keys without blocking reads, as long as there are any. */
    private void turn() {
        while (true) {
            Polled key;
            long left;
            synchronized (this) {
                key = nextTurn();
                if (key == null || closed.isDone()) {
                    turning = false;
                    return;
                }
                left = untilTurn(key);
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

    private void readInTurn(Polled key) {
        long begun = ticker.nanos();
        boolean unused = read(key, Duration.ZERO);
        long now = ticker.nanos();
        synchronized (this) {
            readNanos = Math.max(LEAST_READ_NANOS, (readNanos * 15 + now - begun) / 16);
            key.endRead(now);
            forgetIfUnused(key);
            startReads();
        }
    }

    private @Nullable Polled nextTurn() {
        Polled next = null;
        for (Polled each : keys.values()) {
            if (!each.isReading() && (next == null || untilTurn(each) < untilTurn(next))) {
                next = each;
            }
        }
        return next;
    }

    private long untilTurn(Polled key) {
        long round = roundMillis(keys.size());
        long allowed = key.hasClaims() ? TicketMark.pauseMillisFor(key.actMillis()) : Long.MAX_VALUE;
        long interval = Math.max(TURN_MILLIS, Math.min(round, allowed)) * (key.hasClaims() ? 1 : TURNS_OF_GRANTS);
        return TimeUnit.MILLISECONDS.toNanos(interval) - (ticker.nanos() - key.readAt());
    }

    /** Ends the reads. */
    void close() {
        closed.complete(null);
    }
}
