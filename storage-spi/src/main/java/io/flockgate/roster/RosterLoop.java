package io.flockgate.roster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.roster.Roster.Step;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStore.Stored;
import io.flockgate.storage.RetryPauses;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * write, a round without calls writes each second until it succeeds, so that the unknown write
 * cannot happen much later, and {@link RosterStorage#failureReason} is up to date.
 *
 * <p>Thread safe.
 */
final class RosterLoop {
    /** The pause after a failed write. */
    private static final long RETRY_MILLIS = 1_000;

    /** With jitter, so that the same gateways do not conflict again. */
    private static final RetryPauses PAUSES = new RetryPauses(10, 500);

    private static final Logger LOG = LoggerFactory.getLogger(RosterLoop.class);

    private final String name;
    private final RosterStore store;
    private final RosterSettings settings;
    private final Executor worker;
    private final BooleanSupplier closed;

    @GuardedBy("this")
    private final Queue<Call<?>> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean running;

    private final AtomicBoolean retryPending = new AtomicBoolean();

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

        void fail(Throwable cause) {
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
     */
    RosterLoop(String name, RosterStore store, RosterSettings settings, Executor worker, BooleanSupplier closed) {
        this.name = name;
        this.store = store;
        this.settings = settings;
        this.worker = worker;
        this.closed = closed;
    }

    void submit(Call<?> call) {
        synchronized (this) {
            waiting.add(call);
        }
        wake();
    }

    private void wake() {
        synchronized (this) {
            if (running) {
                return;
            }
            running = true;
        }
        worker.execute(this::run);
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
            calls.forEach(Call::complete);
        } catch (StorageException e) {
            failed(calls, e);
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("calls on a roster failed");
            failed(calls, e);
        }
    }

    private void failed(List<Call<?>> calls, Throwable cause) {
        calls.forEach(call -> call.fail(cause));
        if (unwritten && !closed.getAsBoolean() && retryPending.compareAndSet(false, true)) {
            long unused = settings.vertx().setTimer(RETRY_MILLIS, fired -> retry());
        }
    }

    private void retry() {
        retryPending.set(false);
        wake();
    }

    /** Returns false after a conflict with another gateway. */
    private boolean round(List<Call<?>> calls, boolean probe) {
        Stored stored = store.read(name);
        Roster before = stored.document().roster();
        Roster after = before;
        long slots = stored.document().slots();
        for (Call<?> call : calls) {
            Roster next = call.decide(after);
            slots = call.slots > 0 && !next.equals(after) ? call.slots : slots;
            after = next;
        }
        return (after.equals(before) && !inDoubt && !probe)
                || write(stored.document().next(settings.gateway(), slots, after), stored.version());
    }

    private boolean write(RosterDocument next, long version) {
        try {
            boolean written = store.write(name, next, version);
            unwritten = false;
            inDoubt = false;
            return written;
        } catch (StorageException e) {
            unwritten = true;
            inDoubt |= e.effect() == Effect.UNKNOWN;
            throw e;
        }
    }

    private void pause(int conflicts) {
        try {
            Thread.sleep(PAUSES.millisAfter(conflicts, ThreadLocalRandom.current()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
