package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.AbstractRosterStorage;
import io.flockgate.roster.support.CallQueue;
import io.flockgate.roster.support.RosterCall;
import io.flockgate.roster.support.RosterDocument;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rosters of one gateway over a {@link RosterStore}. One worker decides and writes; it runs on
 * its own thread while calls wait. Reads continue whatever happens to the disk.
 *
 * <ol>
 *   <li>Take the waiting calls, up to the maximum size of a batch.
 *   <li>If the last write failed, write the stored rosters again. Until that succeeds, no change to
 *       them is written.
 *   <li>Decide all calls, each on the roster left by the preceding calls.
 *   <li>If a roster changes, replace it in the store.
 *   <li>Answer all calls, then shorten the store if it is long. After a failure, answer only those
 *       whose answer the stored rosters confirm, and fail the others. Then start again after a
 *       pause, with or without calls.
 * </ol>
 *
 * <p>While it is uncertain what the next start will find, the stored rosters confirm nothing,
 * because a change that was reported as failed may reappear.
 */
final class MemoryRosters extends AbstractRosterStorage {
    static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    private static final int MAX_BATCH = 1024;
    private static final long RETRY_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRosters.class);

    private final RosterStore store;
    private final String gateway;
    private final RosterRuntime runtime;
    private final long patienceNanos;
    private final CallQueue queue;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean retryPending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private boolean storeClosed;
    private volatile @Nullable String failure;
    private volatile boolean busy;
    private volatile long busySinceNanos;

    MemoryRosters(RosterStore store, String gateway, RosterRuntime runtime, long patienceMillis) {
        super(runtime.clock(), gateway);
        this.store = store;
        this.gateway = gateway;
        this.runtime = runtime;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.queue = new CallQueue("the disk", () -> runtime.worker().execute(this::run));
    }

    /** Reports immediately if the store could not be written when it was opened. */
    void start() {
        queue.wake();
    }

    @Override
    public Future<Roster> read(String group) {
        return queue.isClosed()
                ? Future.failedFuture(CallQueue.closedFailure())
                : Future.succeededFuture(stored(group).roster());
    }

    private RosterDocument stored(String group) {
        return store.documents().getOrDefault(group, RosterDocument.NONE);
    }

    @Override
    protected <T> Future<T> submit(RosterCall<T> call) {
        call.giveUpAfter(patienceNanos, runtime.timer(), () -> "the rosters are not written in time");
        queue.submit(call);
        return call.future();
    }

    private void run() {
        if (storeClosed) {
            return;
        }
        List<RosterCall<?>> batch = new ArrayList<>();
        do {
            queue.drainTo(batch, MAX_BATCH);
            carryOut(batch);
            batch.clear();
        } while (queue.keepRunning(false));
        if (queue.isClosed()) {
            closeStore();
        }
    }

    private void carryOut(List<RosterCall<?>> batch) {
        busySinceNanos = runtime.nanoTime().getAsLong();
        busy = true;
        try {
            String message = confirmAndWrite(batch);
            if (message != null) {
                batch.stream().filter(RosterCall::isConfirmed).forEach(RosterCall::answer);
                batch.forEach(call -> call.fail(message, null));
            }
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("calls on rosters failed");
            batch.forEach(RosterCall::maybeWritten);
            batch.forEach(call -> call.fail("unexpected failure: " + e.getMessage(), e));
        } finally {
            busy = false;
        }
    }

    /** Answers all calls and returns null, or returns the reason why some must fail. */
    private @Nullable String confirmAndWrite(List<RosterCall<?>> batch) {
        boolean writable = (failure == null && store.isCertain()) || confirmed();
        Map<String, RosterDocument> changed = decide(batch);
        if (store.isCertain() && changed.isEmpty()) {
            batch.forEach(RosterCall::answer);
            return null;
        }
        if (!writable) {
            return String.valueOf(failure);
        }
        return replaced(batch, changed);
    }

    private boolean confirmed() {
        try {
            store.confirm();
        } catch (IOException e) {
            failed(e);
            return false;
        }
        if (failure != null) {
            failure = null;
            LOG.atInfo().addKeyValue("store", store).log("rosters can be written again");
        }
        return true;
    }

    private Map<String, RosterDocument> decide(List<RosterCall<?>> batch) {
        Map<String, RosterDocument> changed = new HashMap<>();
        for (RosterCall<?> call : batch) {
            RosterDocument stored = stored(call.group());
            RosterDocument latest = changed.getOrDefault(call.group(), stored);
            Roster after = call.decide(store.isCertain() ? stored.roster() : null, latest.roster());
            if (!after.equals(latest.roster())) {
                changed.put(call.group(), latest.next(gateway, List.of(call), after));
            }
        }
        return changed;
    }

    /** Answers all calls and returns null, or returns the reason why some must fail. */
    private @Nullable String replaced(List<RosterCall<?>> batch, Map<String, RosterDocument> changed) {
        if (!batch.stream().filter(RosterCall::changes).allMatch(RosterCall::beginWrite)) {
            // A call was given up, so its change must not be written.
            batch.forEach(RosterCall::notWritten);
            batch.removeIf(RosterCall::isAnswered);
            return confirmAndWrite(batch);
        }
        try {
            store.replace(changed);
        } catch (IOException e) {
            failed(e);
            batch.forEach(store.isCertain() ? RosterCall::notWritten : RosterCall::maybeWritten);
            return (store.isCertain() ? "" : "perhaps written, but ") + failure;
        }
        batch.forEach(RosterCall::answer);
        store.shortenIfLong();
        return null;
    }

    private void failed(IOException e) {
        if (failure == null) {
            LOG.atWarn()
                    .addKeyValue("store", store)
                    .addKeyValue("err", Reason.of(e))
                    .log("rosters cannot be written");
        }
        failure = "rosters cannot be written to the " + store + ": " + Reason.of(e);
        if (retryPending.compareAndSet(false, true)) {
            runtime.timer().after(RETRY_PAUSE_NANOS, this::retry);
        }
    }

    private void retry() {
        retryPending.set(false);
        queue.wake();
    }

    @Override
    public Optional<String> failureReason() {
        if (busy && runtime.nanoTime().getAsLong() - busySinceNanos > patienceNanos / 2) {
            return Optional.of("the " + store + " is not written in time");
        }
        return Optional.ofNullable(failure);
    }

    /**
     * Completes when the calls in progress are answered, and waits for the disk no longer than any
     * call does.
     */
    @Override
    public Future<Void> close() {
        queue.close();
        if (closing.compareAndSet(false, true)) {
            Runnable cancel = runtime.timer().after(patienceNanos, () -> ended.tryComplete());
            ended.future().onComplete(done -> cancel.run());
            queue.wake();
        }
        return ended.future();
    }

    private void closeStore() {
        storeClosed = true;
        try {
            store.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", Reason.of(e)).log("rosters not closed cleanly");
        }
        ended.tryComplete();
    }
}
