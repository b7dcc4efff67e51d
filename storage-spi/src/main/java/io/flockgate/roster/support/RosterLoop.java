package io.flockgate.roster.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Step;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.RosterStore.Stored;
import io.flockgate.roster.support.SerialRosters.RosterRuntime;
import io.flockgate.storage.RetryPauses;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The serial loop of one group, which runs while calls wait:
 *
 * <ol>
 *   <li>Take the waiting calls of the group that have not timed out.
 *   <li>Read the group's document.
 *   <li>Decide each call on the roster that the preceding calls leave.
 *   <li>If the roster changes, write the document. If another gateway has changed it meanwhile,
 *       pause, and continue with step 2.
 *   <li>Answer the calls. After a failure, all of them fail; it is safe to repeat them.
 * </ol>
 *
 * <p>A write whose effect is unknown may still happen later. Therefore the next round writes even
 * if nothing changes, and so takes away the version that the unknown write names. After any failed
 * write, a round without calls writes each second until it succeeds, so that {@link StoreHealth} is
 * up to date.
 *
 * <p>Thread safe.
 */
final class RosterLoop {
    /** The maximum number of calls that wait. */
    static final int MAX_WAITING = 4096;

    /** With jitter, so that the same gateways do not conflict again. */
    private static final RetryPauses PAUSES = new RetryPauses(10, 500);

    private static final Logger LOG = LoggerFactory.getLogger(RosterLoop.class);

    private final String name;
    private final RosterStore store;
    private final RosterRuntime runtime;
    private final StoreHealth health;
    private final BooleanSupplier closed;
    private final LongAdder retries;

    @GuardedBy("this")
    private final Queue<Call<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean running;

    private final AtomicBoolean retryPending = new AtomicBoolean();
    private volatile String problem = "";

    // On the loop only: whether the last write has failed, and may still happen.
    private boolean unwritten;
    private boolean inDoubt;

    /** A call from its arrival to its answer. A timer may answer it at any moment. */
    static final class Call<T> {
        private final long slots;
        private final Function<Roster, Step<T>> rule;
        private final Promise<T> promise = Promise.promise();
        private @Nullable T outcome;

        Call(long slots, Function<Roster, Step<T>> rule) {
            this.slots = slots;
            this.rule = rule;
        }

        Future<T> answer() {
            return promise.future();
        }

        private boolean isAnswered() {
            return promise.future().isComplete();
        }

        private Roster decide(Roster before) {
            Step<T> step = rule.apply(before);
            outcome = step.outcome();
            return step.after();
        }

        private void complete() {
            tell(() -> promise.tryComplete(outcome));
        }

        void fail(StorageException cause) {
            tell(() -> promise.tryFail(cause));
        }

        /** A listener that throws must not end the loop. */
        private static void tell(Runnable completion) {
            try {
                completion.run();
            } catch (RuntimeException e) {
                LOG.atError().setCause(e).log("a listener to a roster failed");
            }
        }
    }

    /**
     * @param closed whether failed writes are no longer repeated
     * @param retries counts the conflicts with other gateways
     */
    RosterLoop(
            String name,
            RosterStore store,
            RosterRuntime runtime,
            StoreHealth health,
            BooleanSupplier closed,
            LongAdder retries) {
        this.name = name;
        this.store = store;
        this.runtime = runtime;
        this.health = health;
        this.closed = closed;
        this.retries = retries;
    }

    /** The failure of a call that has waited for too long. */
    static StorageException timeout(String problem) {
        return new StorageException(
                FailureKind.UNAVAILABLE,
                Effect.UNKNOWN,
                "not done within " + RosterStorage.PATIENCE_MILLIS + " ms" + problem);
    }

    /** Fails a call that has waited for too long. */
    void timedOut(Call<?> call) {
        StorageException timeout = timeout(problem);
        health.broken(timeout, false);
        call.fail(timeout);
    }

    void submit(Call<?> call) {
        boolean full;
        synchronized (this) {
            full = waiting.size() >= MAX_WAITING;
            if (!full) {
                waiting.add(call);
            }
        }
        if (full) {
            call.fail(new StorageException(
                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many calls are waiting for the group"));
        } else {
            wake();
        }
    }

    private void wake() {
        synchronized (this) {
            if (running) {
                return;
            }
            running = true;
        }
        runtime.worker().execute(this::run);
    }

    private void run() {
        do {
            List<Call<?>> calls = take();
            boolean probe = calls.isEmpty() && unwritten;
            if (probe || !calls.isEmpty()) {
                tryRounds(calls, probe);
            }
        } while (keepRunning());
    }

    private synchronized List<Call<?>> take() {
        List<Call<?>> calls = new ArrayList<>(waiting);
        waiting.clear();
        calls.removeIf(Call::isAnswered);
        return calls;
    }

    private synchronized boolean keepRunning() {
        running = !waiting.isEmpty();
        return running;
    }

    private void tryRounds(List<Call<?>> calls, boolean probe) {
        try {
            for (int conflicts = 1; !round(calls, probe); conflicts++) {
                pause(conflicts);
                calls.removeIf(Call::isAnswered);
            }
            problem = "";
            calls.forEach(Call::complete);
        } catch (StorageException e) {
            failed(calls, e);
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("calls on a roster failed");
            failed(calls, new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "unexpected failure: " + e, e));
        }
    }

    private void failed(List<Call<?>> calls, StorageException cause) {
        problem = ": " + cause.getMessage();
        calls.forEach(call -> call.fail(cause));
        if (unwritten && !closed.getAsBoolean() && retryPending.compareAndSet(false, true)) {
            runtime.timer().after(TimeUnit.SECONDS.toNanos(1), this::retry);
        }
    }

    private void retry() {
        retryPending.set(false);
        wake();
    }

    /** Returns false after a conflict with another gateway. */
    private boolean round(List<Call<?>> calls, boolean probe) {
        Stored stored = read();
        Roster before = stored.document().roster();
        Roster after = before;
        long slots = stored.document().slots();
        for (Call<?> call : calls) {
            Roster next = call.decide(after);
            slots = call.slots > 0 && !next.equals(after) ? call.slots : slots;
            after = next;
        }
        return (after.equals(before) && !inDoubt && !probe)
                || write(stored.document().next(runtime.gateway(), slots, after), stored.version());
    }

    private Stored read() {
        try {
            Stored stored = store.read(name);
            health.worked(false);
            return stored;
        } catch (StorageException e) {
            health.broken(e, false);
            throw e;
        }
    }

    private boolean write(RosterDocument next, long version) {
        boolean written;
        try {
            written = store.write(name, next, version);
        } catch (StorageException e) {
            unwritten = true;
            inDoubt |= e.effect() == Effect.UNKNOWN;
            health.broken(e, true);
            throw e;
        }
        unwritten = false;
        inDoubt = false;
        health.worked(true);
        if (!written) {
            retries.increment();
            problem = ": other gateways change the roster all the time";
        }
        return written;
    }

    private void pause(int conflicts) {
        try {
            Thread.sleep(PAUSES.millisAfter(conflicts, ThreadLocalRandom.current()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a store of rosters works, as its last calls show. Logs each change. Thread safe. */
    static final class StoreHealth {
        private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);

        private final RosterStore store;
        private volatile @Nullable Failure failure;

        /**
         * The latest failure.
         *
         * @param writing whether only a successful write ends it
         */
        private record Failure(String reason, boolean writing) {}

        StoreHealth(RosterStore store) {
            this.store = store;
        }

        void worked(boolean writing) {
            Failure last = failure;
            if (last != null && (writing || !last.writing())) {
                failure = null;
                LOG.atInfo().addKeyValue("store", store).log("rosters can be kept again");
            }
        }

        void broken(StorageException e, boolean writing) {
            Failure last = failure;
            String reason = String.valueOf(e.getMessage());
            if (last == null) {
                LOG.atWarn()
                        .addKeyValue("store", store)
                        .addKeyValue("err", reason)
                        .log("rosters cannot be kept");
            }
            failure = new Failure(reason, writing || (last != null && last.writing()));
        }

        /** Why it does not work; empty if it does. */
        Optional<String> failureReason() {
            return Optional.ofNullable(failure).map(Failure::reason);
        }
    }
}
