package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Departure;
import io.flockgate.roster.JoinOutcome;
import io.flockgate.roster.LeaveOutcome;
import io.flockgate.roster.Newcomer;
import io.flockgate.roster.Roster;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.Step;
import io.flockgate.roster.Terms;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rosters over a {@link RosterLog}. All that wait are decided one after the other, written in one step, and then answered. Calls
 * that write are for one thread; reads go on whatever becomes of the disk.
 */
final class MemoryRosters implements RosterStorage {
    /** How many calls may wait. */
    static final int MAX_WAITING = 4096;

    static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    private static final int MAX_BATCH = 1024;
    private static final Duration RETRY_PAUSE = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(MemoryRosters.class);

    private final RosterLog log;
    private final InstantSource clock;
    private final String gateway;
    private final long patienceMillis;
    private final BlockingQueue<Call<?>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final ScheduledThreadPoolExecutor alarms;
    private final Thread thread =
            Thread.ofPlatform().name("flockgate-rosters").daemon().unstarted(this::run);
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closing;
    private volatile @Nullable String trouble;
    private volatile long writingSinceNanos;

    MemoryRosters(RosterLog log, InstantSource clock, String gateway, long patienceMillis) {
        this.log = log;
        this.clock = clock;
        this.gateway = gateway;
        this.patienceMillis = patienceMillis;
        this.alarms = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("flockgate-roster-alarms").daemon().factory());
        alarms.setRemoveOnCancelPolicy(true);
        // After the end there is nothing to wait for.
        alarms.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    void start() {
        thread.start();
    }

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return call(group, roster -> roster.join(newcomer, terms, gateway, clock.instant()));
    }

    @Override
    public Future<LeaveOutcome> leave(String group, Departure departure) {
        return call(group, roster -> roster.leave(departure));
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return call(group, roster -> told(roster.paused(reason, clock.instant())));
    }

    @Override
    public Future<Roster> resume(String group) {
        return call(group, roster -> told(roster.resumed()));
    }

    private static Step<Roster> told(Roster after) {
        return new Step<>(after, after);
    }

    @Override
    public Future<Roster> read(String group) {
        return closing ? Future.failedFuture(closed()) : Future.succeededFuture(standing(group));
    }

    private Roster standing(String group) {
        return log.rosters().getOrDefault(group, Roster.EMPTY);
    }

    private static StorageException closed() {
        return new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the rosters are closed");
    }

    private <T> Future<T> call(String group, Function<Roster, Step<T>> rule) {
        Call<T> call = new Call<>(group, rule);
        if (closing) {
            call.fail(closed());
        } else if (!waiting.offer(call)) {
            call.fail(
                    new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, "too many calls wait for the disk"));
        } else if (closing && call.take()) {
            call.fail(closed());
        } else {
            watch(call);
        }
        return call.future();
    }

    private void watch(Call<?> call) {
        cancelOnceTold(alarms.schedule(call::giveUp, patienceMillis, TimeUnit.MILLISECONDS), call.future());
    }

    private static void cancelOnceTold(ScheduledFuture<?> alarm, Future<?> told) {
        told.onComplete(done -> alarm.cancel(false));
    }

    private void run() {
        try {
            settle(List.of());
            while (!closing || !waiting.isEmpty()) {
                step();
            }
        } catch (InterruptedException e) {
            LOG.atError().setCause(e).log("the thread of the rosters was interrupted");
        } finally {
            end();
        }
    }

    private void step() throws InterruptedException {
        Call<?> first = closing
                ? waiting.poll()
                : trouble == null ? waiting.take() : waiting.poll(RETRY_PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        List<Call<?>> batch = new ArrayList<>();
        if (first != null) {
            batch.add(first);
            waiting.drainTo(batch, MAX_BATCH - 1);
        }
        batch.removeIf(call -> !call.take());
        writingSinceNanos = System.nanoTime() | 1;
        try {
            settle(batch);
        } catch (RuntimeException | Error e) {
            LOG.atError().setCause(e).log("calls on rosters failed");
            batch.forEach(call -> call.fail(Effect.UNKNOWN, "failed", e));
        } finally {
            writingSinceNanos = 0;
        }
    }

    private void settle(List<Call<?>> batch) {
        if (!mended(batch)) {
            return;
        }
        Map<String, Roster> before = log.rosters();
        Map<String, Roster> changed = new HashMap<>();
        batch.forEach(call -> call.decide(before, changed));
        if (changed.isEmpty() || written(batch, changed)) {
            batch.forEach(Call::answer);
            tidy();
        }
    }

    /** Nothing is told while a change that was reported as failed might come back at the next start. */
    private boolean mended(List<Call<?>> batch) {
        try {
            log.mend();
            worksAgain();
            return true;
        } catch (IOException e) {
            report(e);
            if (log.certain()) {
                batch.forEach(call -> call.answerUnwritten(log.rosters(), e));
            } else {
                batch.forEach(call -> call.fail(Effect.NOT_DONE, "the rosters cannot be written", e));
            }
            return false;
        }
    }

    private boolean written(List<Call<?>> batch, Map<String, Roster> changed) {
        try {
            log.append(changed);
            return true;
        } catch (IOException e) {
            report(e);
            if (log.certain()) {
                batch.forEach(call -> call.answerUnwritten(log.rosters(), e));
            } else {
                batch.forEach(call -> call.fail(Effect.UNKNOWN, "it is not sure that the rosters were written", e));
            }
            return false;
        }
    }

    private void tidy() {
        try {
            log.tidy();
        } catch (IOException e) {
            report(e);
        }
    }

    private void report(IOException failure) {
        if (trouble == null) {
            LOG.atWarn()
                    .addKeyValue("log", log)
                    .addKeyValue("err", failure.toString())
                    .log("rosters cannot be written");
        }
        trouble = "rosters cannot be written to the " + log + ": " + failure.getMessage();
    }

    private void worksAgain() {
        if (trouble != null) {
            trouble = null;
            LOG.atInfo().addKeyValue("log", log).log("rosters can be written again");
        }
    }

    @Override
    public Optional<String> failureReason() {
        long since = writingSinceNanos;
        if (since != 0 && System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(patienceMillis) / 2) {
            return Optional.of("the disk of the " + log + " does not answer");
        }
        return Optional.ofNullable(trouble);
    }

    private void end() {
        closing = true;
        for (Call<?> call = waiting.poll(); call != null; call = waiting.poll()) {
            if (call.take()) {
                call.fail(closed());
            }
        }
        try {
            log.close();
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("err", e.toString()).log("rosters not closed cleanly");
        }
        alarms.shutdown();
        ended.tryComplete();
    }

    /** Waits no longer for a disk than any call does. */
    @Override
    public synchronized Future<Void> close() {
        if (!closing) {
            ScheduledFuture<?> alarm =
                    alarms.schedule(() -> ended.tryComplete(), patienceMillis, TimeUnit.MILLISECONDS);
            cancelOnceTold(alarm, ended.future());
            closing = true;
            boolean woken = waiting.offer(new Call<>("", MemoryRosters::told));
            LOG.atDebug().addKeyValue("woken", woken).log("rosters closing");
        }
        return ended.future();
    }
}
