package io.flockgate.roster.support;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.roster.Departure;
import io.flockgate.roster.DepartureOutcome;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Step;
import io.flockgate.roster.Terms;
import io.flockgate.roster.support.RosterStore.Stored;
import io.flockgate.storage.Backoff;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rosters over a {@link RosterStore}. Each group has a serial loop, which runs while calls wait:
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
 * <p>A write whose effect is unknown may still happen later. Therefore the group's next round
 * writes even if nothing changes, and so takes away the version that the unknown write names. After
 * any failed write, a round without calls writes each second until it succeeds, so that {@link
 * #failureReason} is up to date.
 *
 * <p>Thread safe.
 */
public final class SerialRosters implements RosterStorage {
    /** Answers come earlier than the contract requires. */
    public static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    /** The maximum number of calls that wait for one group. */
    static final int MAX_WAITING = 4096;

    /** With jitter, so that the same gateways do not conflict again. */
    private static final Backoff PAUSES = new Backoff(10, 500);

    private static final Logger LOG = LoggerFactory.getLogger(SerialRosters.class);

    private final RosterStore store;
    private final RosterRuntime runtime;
    private final long patienceNanos;
    private final Map<String, Group> groups = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicLong retries = new AtomicLong();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closed;
    private volatile @Nullable Failure failure;

    /**
     * The latest failure of the store.
     *
     * @param writing whether only a successful write ends it
     */
    private record Failure(String reason, boolean writing) {}

    public SerialRosters(RosterStore store, RosterRuntime runtime, long patienceMillis) {
        this.store = store;
        this.runtime = runtime;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
    }

    /** A call from its arrival to its answer. A timer may answer it at any moment. */
    private static final class Call<T> {
        private final long slots;
        private final Function<Roster, Step<T>> rule;
        private final Promise<T> promise = Promise.promise();
        private @Nullable T outcome;

        private Call(long slots, Function<Roster, Step<T>> rule) {
            this.slots = slots;
            this.rule = rule;
        }

        private boolean isAnswered() {
            return promise.future().isComplete();
        }

        private Roster decide(Roster before) {
            Step<T> step = rule.apply(before);
            outcome = step.outcome();
            return step.after();
        }

        private void answer() {
            tell(() -> promise.tryComplete(outcome));
        }

        private void fail(StorageException cause) {
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

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return submit(
                group,
                terms.slots(),
                roster -> roster.join(
                        newcomer, terms, runtime.gateway(), runtime.clock().instant()));
    }

    @Override
    public Future<DepartureOutcome> leave(String group, Departure departure) {
        return submit(group, 0, roster -> roster.leave(departure));
    }

    @Override
    public Future<Roster> read(String group) {
        return submit(group, 0, SerialRosters::result);
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return submit(
                group, 0, roster -> result(roster.paused(reason, runtime.clock().instant())));
    }

    @Override
    public Future<Roster> resume(String group) {
        return submit(group, 0, roster -> result(roster.resumed()));
    }

    /** Not on a loop, because it concerns no single group. */
    @Override
    public Future<Set<String>> groups() {
        Promise<Set<String>> promise = Promise.promise();
        underWay.incrementAndGet();
        Future<Set<String>> answer = promise.future().onComplete(done -> finished());
        if (closed) {
            promise.fail(closedFailure());
            return answer;
        }
        Runnable cancel = runtime.timer().after(patienceNanos, () -> promise.tryFail(timeout("")));
        Future<Set<String>> unused = answer.onComplete(done -> cancel.run());
        runtime.worker().execute(() -> {
            try {
                promise.tryComplete(store.groups());
            } catch (RuntimeException e) {
                promise.tryFail(e);
            }
        });
        return answer;
    }

    private static StorageException closedFailure() {
        return new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed");
    }

    private static StorageException timeout(String problem) {
        return new StorageException(
                FailureKind.UNAVAILABLE,
                Effect.UNKNOWN,
                "not done within " + RosterStorage.PATIENCE_MILLIS + " ms" + problem);
    }

    private static Step<Roster> result(Roster after) {
        return new Step<>(after, after);
    }

    private <T> Future<T> submit(String name, long slots, Function<Roster, Step<T>> rule) {
        Call<T> call = new Call<>(slots, rule);
        underWay.incrementAndGet();
        Future<T> answer = call.promise.future().onComplete(done -> finished());
        if (closed) {
            call.fail(closedFailure());
            return answer;
        }
        Group group = groups.computeIfAbsent(name, Group::new);
        Runnable cancel = runtime.timer().after(patienceNanos, () -> group.timedOut(call));
        Future<T> unused = answer.onComplete(done -> cancel.run());
        group.submit(call);
        return answer;
    }

    /** The calls on one group, and its loop. */
    private final class Group {
        private final String name;

        @GuardedBy("this")
        private final Queue<Call<?>> waiting = new ArrayDeque<>();

        @GuardedBy("this")
        private boolean running;

        private final AtomicBoolean retryPending = new AtomicBoolean();
        private volatile String problem = "";

        // On the loop only: whether the last write has failed, and may still happen.
        private boolean unwritten;
        private boolean inDoubt;

        private Group(String name) {
            this.name = name;
        }

        private void timedOut(Call<?> call) {
            StorageException timeout = timeout(problem);
            broken(timeout, false);
            call.fail(timeout);
        }

        private void submit(Call<?> call) {
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
                calls.forEach(Call::answer);
            } catch (StorageException e) {
                failed(calls, e);
            } catch (RuntimeException | Error e) {
                LOG.atError().setCause(e).log("calls on a roster failed");
                failed(
                        calls,
                        new StorageException(FailureKind.UNAVAILABLE, Effect.UNKNOWN, "unexpected failure: " + e, e));
            }
        }

        private void failed(List<Call<?>> calls, StorageException cause) {
            problem = ": " + cause.getMessage();
            calls.forEach(call -> call.fail(cause));
            if (unwritten && !closed && retryPending.compareAndSet(false, true)) {
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
                worked(false);
                return stored;
            } catch (StorageException e) {
                broken(e, false);
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
                broken(e, true);
                throw e;
            }
            unwritten = false;
            inDoubt = false;
            worked(true);
            if (!written) {
                retries.incrementAndGet();
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
    }

    private void worked(boolean writing) {
        Failure last = failure;
        if (last != null && (writing || !last.writing())) {
            failure = null;
            LOG.atInfo().addKeyValue("store", store).log("rosters can be kept again");
        }
    }

    private void broken(StorageException e, boolean writing) {
        Failure last = failure;
        if (last == null) {
            LOG.atWarn()
                    .addKeyValue("store", store)
                    .addKeyValue("err", String.valueOf(e.getMessage()))
                    .log("rosters cannot be kept");
        }
        failure = new Failure(String.valueOf(e.getMessage()), writing || (last != null && last.writing()));
    }

    @Override
    public Optional<String> failureReason() {
        return Optional.ofNullable(failure).map(Failure::reason);
    }

    @Override
    public long retries() {
        return retries.get();
    }

    /** Completes when all calls are answered, and waits for the store no longer than any call. */
    @Override
    public Future<Void> close() {
        if (!closed) {
            underWay.incrementAndGet();
            closed = true;
            Runnable cancel = runtime.timer().after(patienceNanos, ended::tryComplete);
            Future<Void> unused = ended.future().onComplete(done -> cancel.run());
            finished();
        }
        return ended.future();
    }

    private void finished() {
        if (underWay.decrementAndGet() == 0 && closed && ending.compareAndSet(false, true)) {
            runtime.worker().execute(() -> {
                store.close();
                ended.tryComplete();
            });
        }
    }
}
