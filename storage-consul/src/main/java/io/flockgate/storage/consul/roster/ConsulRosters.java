package io.flockgate.storage.consul.roster;

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
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Rosters in Consul; any number of gateways on one Consul act as one. Keeps nothing that could not be lost. */
final class ConsulRosters implements RosterStorage {
    static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    /** Groups come from configuration; this many are a mistake. */
    private static final int MAX_GROUPS = 10_000;

    private final ConsulApi api;
    private final String base;
    private final InstantSource clock;
    private final String gateway;
    private final String writer;
    private final long patienceMillis;
    private final Reach reach;
    private final DocumentStore store;
    private final Map<String, GroupDesk> desks = new ConcurrentHashMap<>();
    private final AtomicLong retries = new AtomicLong();
    private final AtomicInteger underWay = new AtomicInteger();
    private final ScheduledThreadPoolExecutor alarms;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closing;

    ConsulRosters(ConsulApi api, String base, InstantSource clock, String gateway, long patienceMillis) {
        this.api = api;
        this.base = base;
        this.clock = clock;
        this.gateway = gateway;
        this.writer = gateway + "/"
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
        this.patienceMillis = patienceMillis;
        this.reach = new Reach(api, KeyPaths.rosters(base) + ".rights");
        this.store = new DocumentStore(api, reach);
        this.alarms = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().name("consul-roster-alarms").daemon().factory());
        alarms.setRemoveOnCancelPolicy(true);
        // After the end there is nothing to wait for.
        alarms.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /** Tries to reach Consul, once; blocks for so long. */
    void start() {
        reach.ask();
    }

    @Override
    public Future<JoinOutcome> join(String group, Newcomer newcomer, Terms terms) {
        return call(group, terms.slots(), roster -> roster.join(newcomer, terms, gateway, clock.instant()));
    }

    @Override
    public Future<LeaveOutcome> leave(String group, Departure departure) {
        return call(group, 0, roster -> roster.leave(departure));
    }

    @Override
    public Future<Roster> read(String group) {
        return call(group, 0, ConsulRosters::told);
    }

    @Override
    public Future<Roster> pause(String group, String reason) {
        return call(group, 0, roster -> told(roster.paused(reason, clock.instant())));
    }

    @Override
    public Future<Roster> resume(String group) {
        return call(group, 0, roster -> told(roster.resumed()));
    }

    private static Step<Roster> told(Roster after) {
        return new Step<>(after, after);
    }

    private <T> Future<T> call(String group, long slots, Function<Roster, Step<T>> rule) {
        Call<T> call = new Call<>(slots, rule);
        GroupDesk desk = desk(group);
        underWay.incrementAndGet();
        Future<T> told = call.future().onComplete(done -> finished());
        if (closing || desk == null) {
            call.refuse(
                    closing
                            ? GroupDesk.closed()
                            : new StorageException(
                                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "there are too many groups"));
            return told;
        }
        ScheduledFuture<?> alarm =
                alarms.schedule(() -> call.giveUp(desk.lastFailure()), patienceMillis, TimeUnit.MILLISECONDS);
        told.onComplete(done -> alarm.cancel(false));
        desk.submit(call);
        return told;
    }

    private @Nullable GroupDesk desk(String group) {
        GroupDesk known = desks.get(group);
        if (known != null || desks.size() >= MAX_GROUPS) {
            return known;
        }
        return desks.computeIfAbsent(group, name -> new GroupDesk(store, KeyPaths.roster(base, name), writer, retries));
    }

    private void finished() {
        if (underWay.decrementAndGet() == 0 && closing && ending.compareAndSet(false, true)) {
            Thread.ofVirtual().name("consul-rosters-close").start(this::end);
        }
    }

    private void end() {
        // Also those that were made while the end began.
        desks.values().forEach(GroupDesk::close);
        reach.close();
        api.close();
        alarms.shutdownNow();
        ended.tryComplete();
    }

    @Override
    public Optional<String> failureReason() {
        return reach.trouble();
    }

    @Override
    public long retries() {
        return retries.get();
    }

    /** What is under way is answered first, which takes no longer than any call does. */
    @Override
    public Future<Void> close() {
        underWay.incrementAndGet();
        closing = true;
        desks.values().forEach(GroupDesk::close);
        finished();
        return ended.future();
    }
}
