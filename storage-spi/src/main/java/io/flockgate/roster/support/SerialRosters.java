package io.flockgate.roster.support;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.roster.Roster;
import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Step;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.RosterLoop.Call;
import io.flockgate.roster.support.RosterLoop.StoreHealth;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Rosters over a {@link RosterStore}. Each group has a {@link RosterLoop}, which carries out its
 * calls one after the other. Thread safe.
 */
public final class SerialRosters implements RosterStorage {
    /**
     * The clock, the timer and the threads of {@link SerialRosters}.
     *
     * @param clock the time of day, which is shown with members
     * @param worker runs loops, which block, and never interrupts them
     * @param gateway the node name of this gateway
     */
    public record RosterRuntime(InstantSource clock, Timer timer, Executor worker, String gateway) {
        /** Runs short tasks after a delay. Thread safe. */
        @FunctionalInterface
        public interface Timer {
            /**
             * Runs a task that does not block, on any thread.
             *
             * @return cancels the task if it has not begun
             */
            @CanIgnoreReturnValue
            Runnable after(long nanos, Runnable task);
        }
    }

    /** Answers come earlier than the contract requires. */
    public static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    private final RosterStore store;
    private final RosterRuntime runtime;
    private final StoreHealth health;
    private final long patienceNanos;
    private final Map<String, RosterLoop> loops = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final LongAdder retries = new LongAdder();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closed;

    public SerialRosters(RosterStore store, RosterRuntime runtime, long patienceMillis) {
        this.store = store;
        this.runtime = runtime;
        this.health = new StoreHealth(store);
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
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
    public Future<Map<String, Roster>> readAll() {
        Promise<Map<String, Roster>> promise = Promise.promise();
        return begin(
                promise.future(),
                promise::tryFail,
                () -> promise.tryFail(RosterLoop.timeout("")),
                () -> runtime.worker().execute(() -> {
                    try {
                        promise.tryComplete(store.readAll().entrySet().stream()
                                .collect(Collectors.toMap(
                                        Map.Entry::getKey,
                                        each -> each.getValue().roster())));
                    } catch (RuntimeException e) {
                        promise.tryFail(e);
                    }
                }));
    }

    private static Step<Roster> result(Roster after) {
        return new Step<>(after, after);
    }

    private <T> Future<T> submit(String group, long slots, Function<Roster, Step<T>> rule) {
        RosterLoop loop = loops.computeIfAbsent(
                group, name -> new RosterLoop(name, store, runtime, health, () -> closed, retries));
        Call<T> call = new Call<>(slots, rule);
        return begin(call.answer(), call::fail, () -> loop.timedOut(call), () -> loop.submit(call));
    }

    /** Counts a call until its answer, and begins it with a timer unless the rosters are closed. */
    private <T> Future<T> begin(Future<T> answer, Consumer<StorageException> fail, Runnable timeout, Runnable begin) {
        underWay.incrementAndGet();
        Future<T> counted = answer.onComplete(done -> finished());
        if (closed) {
            fail.accept(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed"));
        } else {
            Runnable cancel = runtime.timer().after(patienceNanos, timeout);
            Future<T> unused = counted.onComplete(done -> cancel.run());
            begin.run();
        }
        return counted;
    }

    @Override
    public Optional<String> failureReason() {
        return health.failureReason();
    }

    @Override
    public long retries() {
        return retries.sum();
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
