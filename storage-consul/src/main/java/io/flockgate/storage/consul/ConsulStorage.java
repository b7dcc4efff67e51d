package io.flockgate.storage.consul;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.GatewayView;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import io.flockgate.storage.LockStorage.ReleaseOutcome;
import io.flockgate.storage.LockStorage.RenewOutcome;
import io.flockgate.storage.LockStorage.Survival;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.WriteCheck.AclCheck;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.key.KeyActor;
import io.flockgate.storage.consul.key.KeyRouter;
import io.flockgate.storage.consul.key.LocalGateway;
import io.flockgate.storage.consul.key.LocalGateway.GatewaySettings;
import io.flockgate.storage.consul.key.StorageExceptions;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.Sessions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The storage in Consul. All gateways on one Consul act as one. Calls run on virtual threads, one
 * after the other for each key, and their futures complete there. A gateway loses everything that
 * it holds when it ends or cannot reach Consul, except detached grants.
 *
 * <p>Its parts are created in the order of their dependencies, and then started:
 *
 * <ol>
 *   <li>The record of the cluster is checked before there is a session.
 *   <li>The watch of all keys starts last. It checks the record again, and may give up the
 *       sessions.
 * </ol>
 */
public final class ConsulStorage implements LockStorage {
    private static final long REGISTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final ConsulApi api;
    private final WriteCheck writes;
    private final RecordKeeper record;
    private final Sessions sessions;
    private final KeyRouter keys;
    private final GatewayRegister gateways;
    private final @Nullable FenceMemory memory;
    private Timer saving = () -> {};
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Promise<Void> closed = Promise.promise();

    private ConsulStorage(Environment environment, StorageSettings settings, ConsulConfig options, ConsulApi api) {
        String process = Names.process(
                settings.gateway().name(),
                HexFormat.of().toHexDigits(environment.random().nextInt()));
        AclCheck rights = new AclCheck(api, options.paths());
        Duration ttl = options.sessionTtl();
        FenceGuard fences = new FenceGuard(options.fenceBase());
        this.environment = environment;
        this.memory = settings.options()
                .get(StorageProvider.FENCE_STATE_FILE)
                .map(FenceMemory::new)
                .orElse(null);
        this.writes = new WriteCheck(environment, rights, ttl.toNanos() / 3);
        this.api = api;
        this.record = new RecordKeeper(environment, api, options.base(), options.shared(), fences, ttl);
        Runnable precondition = () -> {
            rights.rights();
            record.run();
        };
        this.sessions =
                new Sessions(environment, api, settings.gateway().name(), ttl, precondition, this::sessionsLost);
        GatewaySettings shared = new GatewaySettings(
                process, settings.limits(), settings.upkeep().gcMaxIdle(), options);
        this.keys = new KeyRouter(new LocalGateway(environment, api, sessions, fences, shared, writes::failed));
        this.gateways = new GatewayRegister(environment, api, sessions, options.base(), process, settings.gateway());
    }

    private void sessionsLost(Set<String> ids) {
        keys.sessionsLost(ids);
    }

    /**
     * Creates and starts the storage. Blocks until a first attempt to reach Consul has ended.
     *
     * @throws IllegalStateException when the record of the cluster excludes this gateway
     */
    static ConsulStorage open(Environment environment, StorageSettings settings, ConsulApi api) {
        ConsulConfig options = new ConsulConfig(settings.options());
        ConsulStorage storage = new ConsulStorage(environment, settings, options, api);
        storage.start(
                settings.upkeep().gcInterval(), Math.min(options.sessionTtl().toNanos() / 3, REGISTER_NANOS));
        return storage;
    }

    private void start(Duration gcInterval, long registerNanos) {
        FenceMemory file = memory;
        if (file != null) {
            file.load().ifPresent(record::remember);
        }
        sessions.start();
        refuseConflict();
        keys.start(gcInterval, record.watch(sessions::giveUpAll));
        writes.start();
        gateways.start(registerNanos);
        if (file != null) {
            saving = environment.repeat("consul-fence-file", SAVE_NANOS, this::saveFences);
        }
    }

    /**
     * Makes a gateway that would only disturb the others fail at start-up, where its operator
     * notices.
     */
    private void refuseConflict() {
        record.conflict().ifPresent(conflict -> {
            sessions.close();
            api.close();
            throw new IllegalStateException(conflict);
        });
    }

    private void saveFences() {
        FenceMemory file = memory;
        if (file != null) {
            record.remembered().ifPresent(file::save);
        }
    }

    private <T> Future<T> open(Supplier<Future<T>> call) {
        return closing.get() ? Future.failedFuture(StorageExceptions.closed()) : call.get();
    }

    private <T> Future<T> at(Key key, BiPredicate<KeyActor, Promise<T>> call) {
        return open(() -> keys.at(key, call));
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return at(claim.key(), (actor, answer) -> actor.claim(claim, claimant, answer));
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return at(ticket.key(), (actor, answer) -> actor.leave(ticket, answer));
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        return token.equals(Token.NEVER_ISSUED)
                ? open(() -> Future.succeededFuture(ReleaseOutcome.NOT_HELD))
                : at(key, (actor, answer) -> actor.release(token, answer));
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return token.equals(Token.NEVER_ISSUED)
                ? open(() -> Future.succeededFuture(RenewOutcome.NOT_HELD))
                : at(key, (actor, answer) -> actor.renew(token, leaseSeconds, answer));
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return at(key, (actor, answer) -> actor.evict(fence, force, answer));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        return at(key, (actor, answer) -> actor.removeWaiter(waiter, answer));
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return at(key, (actor, answer) -> actor.setLimit(limit, answer));
    }

    @Override
    public Future<KeyPage> inspect(KeyQuery query) {
        return open(() -> keys.inspect(query));
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return open(() -> keys.inspect(query));
    }

    @Override
    public Future<List<GatewayView>> otherGateways() {
        return open(() -> keys.reading(gateways::others));
    }

    @Override
    public KeyUsage usage() {
        return keys.usage();
    }

    @Override
    public Survival survival() {
        return Survival.DETACHED;
    }

    @Override
    public Optional<String> failureReason() {
        return closing.get()
                ? Optional.of("storage closed")
                : sessions.failure().or(writes::failure).or(keys::whyUnsafe).or(keys::whyBlind);
    }

    @Override
    public Future<Void> close() {
        if (closing.compareAndSet(false, true)) {
            keys.close().onComplete(done -> environment.start("consul-close", this::end));
        }
        return closed.future();
    }

    private void end() {
        try {
            writes.stop();
            gateways.stop();
            saving.cancel();
            saveFences();
            gateways.withdraw();
            sessions.close();
            api.close();
        } finally {
            environment.close();
            closed.complete();
        }
    }
}
