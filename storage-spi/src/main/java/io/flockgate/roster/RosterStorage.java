package io.flockgate.roster;

import io.flockgate.roster.Roster.Departure;
import io.flockgate.roster.Roster.DepartureOutcome;
import io.flockgate.roster.Roster.JoinOutcome;
import io.flockgate.roster.Roster.Newcomer;
import io.flockgate.roster.Roster.Step;
import io.flockgate.roster.Roster.Terms;
import io.flockgate.roster.RosterLoop.Call;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rosters of all groups over a {@link RosterStore} (protocol-docs/fleetlock.md, "Semantics").
 * Each group has a {@link RosterLoop}, which carries out its calls one after the other. A group
 * that no member has joined is empty. A group whose last member has left keeps its fences and its
 * pause. Names of groups and ids of members are case-sensitive.
 *
 * <p>The result of a future is as durable as the store. Calls on one group are linearised across
 * all gateways that share a store. No answer about a member comes from a stale read. Every call is
 * answered within {@value #PATIENCE_MILLIS} ms. A call that could not be carried out by then fails
 * with a {@link StorageException}; if its effect is unknown, it may still be carried out. Repeating
 * a call is always safe.
 *
 * <p>Thread safe. Futures complete on any thread. No method blocks its caller.
 */
public final class RosterStorage {
    /**
     * The maximum duration of a call. Clients would wait for half an hour, and block their
     * machine's updates meanwhile.
     */
    public static final long PATIENCE_MILLIS = 3_500;

    private final ObservedStore store;
    private final RosterSettings settings;
    private final Executor worker;
    private final long patienceMillis;
    private final Map<String, RosterLoop> loops = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closed;

    /**
     * @param worker runs loops, which block, and never interrupts them
     */
    public RosterStorage(RosterStore store, RosterSettings settings, Executor worker) {
        this(store, settings, worker, PATIENCE_MILLIS);
    }

    /** For tests that have less patience. */
    public RosterStorage(RosterStore store, RosterSettings settings, Executor worker, long patienceMillis) {
        this.store = new ObservedStore(store);
        this.settings = settings;
        this.worker = worker;
        this.patienceMillis = patienceMillis;
    }

    /** Gives the newcomer a slot of the group, if the terms allow it or if it has one already. */
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return submit(
                group,
                terms.slots(),
                roster -> roster.join(
                        newcomer, terms, settings.gateway(), settings.clock().instant()));
    }

    /** Releases a member's slot. */
    public Future<DepartureOutcome> leave(String group, Departure departure) {
        return submit(group, 0, roster -> roster.leave(departure));
    }

    /** Reads the group's roster as it is now, never a stale one. */
    public Future<Roster> read(String group) {
        return submit(group, 0, RosterStorage::result);
    }

    /**
     * Stops admitting new members until the group is resumed. Returns the roster after the change.
     */
    public Future<Roster> pause(String group, String reason) {
        return submit(
                group,
                0,
                roster -> result(roster.paused(reason, settings.clock().instant())));
    }

    /** Ends a pause. Returns the roster after the change. */
    public Future<Roster> resume(String group) {
        return submit(group, 0, roster -> result(roster.resumed()));
    }

    /**
     * Reads the rosters of all groups that have ever had a member or a pause, whether or not they
     * are configured, by the groups' names. Never stale ones. Not on a loop, because it concerns no
     * single group.
     */
    public Future<Map<String, Roster>> readAll() {
        Promise<Map<String, Roster>> promise = Promise.promise();
        return begin(
                promise.future(),
                promise::tryFail,
                () -> worker.execute(() -> {
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
        RosterLoop loop =
                loops.computeIfAbsent(group, name -> new RosterLoop(name, store, settings, worker, () -> closed));
        Call<T> call = new Call<>(slots, rule);
        return begin(call.answer(), call::fail, () -> loop.submit(call));
    }

    /** Counts a call until its answer, and begins it with a timer unless the rosters are closed. */
    private <T> Future<T> begin(Future<T> answer, Consumer<StorageException> fail, Runnable begin) {
        underWay.incrementAndGet();
        Future<T> counted = answer.onComplete(done -> finished());
        if (closed) {
            fail.accept(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed"));
        } else {
            long timer = afterPatience(() -> fail.accept(timeout()));
            Future<T> unused = counted.onComplete(done -> settings.vertx().cancelTimer(timer));
            begin.run();
        }
        return counted;
    }

    private long afterPatience(Runnable task) {
        return settings.vertx().setTimer(patienceMillis, fired -> task.run());
    }

    private StorageException timeout() {
        StorageException timeout = new StorageException(
                FailureKind.UNAVAILABLE, Effect.UNKNOWN, "not done within " + patienceMillis + " ms");
        store.broken(timeout, false);
        return timeout;
    }

    /**
     * The reason why the store cannot work now, for an operator; empty when it can, to the best of
     * its knowledge.
     */
    public Optional<String> failureReason() {
        return store.failureReason();
    }

    /**
     * The number of changes since the start that conflicted with another change and were repeated.
     */
    public long retries() {
        return store.conflicts.sum();
    }

    /**
     * Ends all work. Calls in progress are answered or fail; later calls fail as closed. Waits for
     * the store no longer than any call. May be called twice.
     */
    public Future<Void> close() {
        if (!closed) {
            underWay.incrementAndGet();
            closed = true;
            long timer = afterPatience(ended::tryComplete);
            Future<Void> unused =
                    ended.future().onComplete(done -> settings.vertx().cancelTimer(timer));
            finished();
        }
        return ended.future();
    }

    private void finished() {
        if (underWay.decrementAndGet() == 0 && closed && ending.compareAndSet(false, true)) {
            worker.execute(() -> {
                store.close();
                ended.tryComplete();
            });
        }
    }

    /**
     * A store whose calls show whether it works. Logs each change, and counts conflicting writes.
     * Thread safe.
     */
    private static final class ObservedStore implements RosterStore {
        private static final Logger LOG = LoggerFactory.getLogger(RosterStorage.class);

        private final RosterStore store;
        private final LongAdder conflicts = new LongAdder();
        private volatile @Nullable Failure failure;

        /**
         * The latest failure.
         *
         * @param writing whether only a successful write ends it
         */
        private record Failure(String reason, boolean writing) {}

        ObservedStore(RosterStore store) {
            this.store = store;
        }

        @Override
        public Map<String, RosterDocument> readAll() {
            return observed(false, store::readAll);
        }

        @Override
        public Stored read(String group) {
            return observed(false, () -> store.read(group));
        }

        @Override
        public boolean write(String group, RosterDocument document, long version) {
            boolean written = observed(true, () -> store.write(group, document, version));
            if (!written) {
                conflicts.increment();
            }
            return written;
        }

        private <T> T observed(boolean writing, Supplier<T> call) {
            try {
                T result = call.get();
                worked(writing);
                return result;
            } catch (StorageException e) {
                broken(e, writing);
                throw e;
            }
        }

        private void worked(boolean writing) {
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

        /** The reason why it does not work; empty if it does. */
        Optional<String> failureReason() {
            return Optional.ofNullable(failure).map(Failure::reason);
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
