package io.flockgate.storage.consul.roster;

import io.flockgate.consul.format.Names;
import io.flockgate.roster.RosterStorage;
import io.flockgate.roster.support.AbstractRosterStorage;
import io.flockgate.roster.support.CallQueue;
import io.flockgate.roster.support.RosterCall;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.environment.Environment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The rosters in Consul. All gateways on one Consul act as one. The process keeps nothing that must
 * survive.
 */
final class ConsulRosters extends AbstractRosterStorage {
    static final long PATIENCE_MILLIS = RosterStorage.PATIENCE_MILLIS - 500;

    /** The maximum number of groups. Groups come from the configuration, so more are a mistake. */
    private static final int MAX_GROUPS = 10_000;

    private final ConsulApi api;
    private final String base;
    private final String writer;
    private final long patienceMillis;
    private final ConsulProbe probe;
    private final DocumentStore store;
    private final Map<String, GroupActor> actors = new ConcurrentHashMap<>();
    private final AtomicLong retries = new AtomicLong();
    private final AtomicInteger underWay = new AtomicInteger();
    private final Environment environment;
    private final AtomicBoolean ending = new AtomicBoolean();
    private final Promise<Void> ended = Promise.promise();
    private volatile boolean closing;

    ConsulRosters(
            ConsulApi api,
            String base,
            InstantSource clock,
            String gateway,
            long patienceMillis,
            Environment environment) {
        super(clock, gateway);
        this.api = api;
        this.base = base;
        this.writer =
                gateway + "/" + HexFormat.of().toHexDigits(environment.random().nextInt());
        this.patienceMillis = patienceMillis;
        this.probe = new ConsulProbe(api, Names.rosters(base) + ".rights", environment);
        this.store = new DocumentStore(api, probe);
        this.environment = environment;
    }

    /** Tries once to reach Consul. Blocks for that time. */
    void start() {
        probe.ask();
    }

    @Override
    protected <T> Future<T> submit(RosterCall<T> call) {
        GroupActor actor = actor(call.group());
        underWay.incrementAndGet();
        Future<T> answer = call.future().onComplete(done -> finished());
        if (closing || actor == null) {
            call.refuse(
                    closing
                            ? CallQueue.closedFailure()
                            : new StorageException(
                                    FailureKind.UNAVAILABLE, Effect.NOT_DONE, "there are too many groups"));
            return answer;
        }
        call.giveUpAfter(
                TimeUnit.MILLISECONDS.toNanos(patienceMillis),
                (nanos, task) -> environment.after(nanos, task)::cancel,
                actor::lastFailure);
        actor.submit(call);
        return answer;
    }

    private @Nullable GroupActor actor(String group) {
        GroupActor known = actors.get(group);
        if (known != null || actors.size() >= MAX_GROUPS) {
            return known;
        }
        return actors.computeIfAbsent(
                group, name -> new GroupActor(store, Names.roster(base, name), writer, retries, environment));
    }

    private void finished() {
        if (underWay.decrementAndGet() == 0 && closing && ending.compareAndSet(false, true)) {
            environment.start("consul-rosters-close", this::end);
        }
    }

    private void end() {
        // Actors may have been added since the first call of close().
        actors.values().forEach(GroupActor::close);
        probe.close();
        api.close();
        environment.close();
        ended.tryComplete();
    }

    @Override
    public Optional<String> failureReason() {
        return probe.failureReason();
    }

    @Override
    public long retries() {
        return retries.get();
    }

    /** Completes when all calls are answered, which takes no longer than a call. */
    @Override
    public Future<Void> close() {
        underWay.incrementAndGet();
        closing = true;
        actors.values().forEach(GroupActor::close);
        finished();
        return ended.future();
    }
}
