package io.flockgate.storage.consul;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.GatewayView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LimitOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.Survival;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.flockgate.storage.consul.key.GatewayContext;
import io.flockgate.storage.consul.key.Keys;
import io.flockgate.storage.consul.key.StorageExceptions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.session.Sessions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * The storage in Consul. All gateways on one Consul act as one. Calls run on virtual threads, one
 * after the other for each key, and their futures complete there. A gateway loses everything that
 * it holds when it ends or cannot reach Consul, except detached grants.
 */
public final class ConsulStorage implements LockStorage {
    private final GatewayContext gateway;
    private final Sessions sessions;
    private final Keys keys;
    private final WriteCheck writes;
    private final GatewayRegister gateways;
    private final Runnable saveFences;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Promise<Void> closed = Promise.promise();

    /**
     * @param saveFences saves the highest fence; called once, when the storage closes
     */
    ConsulStorage(GatewayContext gateway, Keys keys, WriteCheck writes, GatewayRegister gateways, Runnable saveFences) {
        this.gateway = gateway;
        this.sessions = gateway.sessions();
        this.keys = keys;
        this.writes = writes;
        this.gateways = gateways;
        this.saveFences = saveFences;
    }

    private <T> Future<T> open(Supplier<Future<T>> call) {
        return closing.get() ? Future.failedFuture(StorageExceptions.closed()) : call.get();
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return open(() -> keys.claim(claim, claimant));
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return open(() -> keys.leave(ticket));
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        return open(() -> keys.release(key, token));
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return open(() -> keys.renew(key, token, leaseSeconds));
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return open(() -> keys.evict(key, fence, force));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        return open(() -> keys.removeWaiter(key, waiter));
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return open(() -> keys.setLimit(key, limit));
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
        return open(() -> {
            Promise<List<GatewayView>> answer = Promise.promise();
            gateway.environment().start("consul-gateways", () -> {
                try {
                    answer.complete(gateways.others());
                } catch (ConsulException e) {
                    answer.fail(StorageExceptions.of(e));
                } catch (RuntimeException | Error e) {
                    answer.fail(StorageExceptions.unexpected(e));
                }
            });
            return answer.future();
        });
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
            keys.close().onComplete(done -> gateway.environment().start("consul-close", this::end));
        }
        return closed.future();
    }

    private void end() {
        try {
            writes.stop();
            gateways.stop();
            saveFences.run();
            gateway.detachedSessions().close();
            gateways.withdraw();
            sessions.close();
            gateway.api().close();
        } finally {
            gateway.environment().close();
            closed.complete();
        }
    }
}
