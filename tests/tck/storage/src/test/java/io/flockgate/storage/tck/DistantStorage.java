package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.EvictOutcome;
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
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A storage at a distance: calls take a millisecond or so each way and complete on other threads.
 */
record DistantStorage(PlainStorage storage, ScheduledExecutorService network) implements LockStorage {
    private static final long MAX_MICROS = 1500;

    private void travel(Runnable message) {
        java.util.concurrent.Future<?> unused =
                network.schedule(message, ThreadLocalRandom.current().nextLong(MAX_MICROS), TimeUnit.MICROSECONDS);
    }

    private <T> Future<T> call(Supplier<Future<T>> call) {
        Promise<T> promise = Promise.promise();
        travel(() -> call.get().onComplete(done -> travel(() -> promise.handle(done))));
        return promise.future();
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return call(() -> storage.claim(claim, claimant));
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return call(() -> storage.leave(ticket));
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        return call(() -> storage.release(key, token));
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        return call(() -> storage.renew(key, token, leaseSeconds));
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return call(() -> storage.evict(key, fence, force));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        return call(() -> storage.removeWaiter(key, waiter));
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return call(() -> storage.setLimit(key, limit));
    }

    @Override
    public Future<KeyPage> inspect(KeyQuery query) {
        return call(() -> storage.inspect(query));
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return call(() -> storage.inspect(query));
    }

    @Override
    public KeyUsage usage() {
        return storage.usage();
    }

    @Override
    public Optional<String> incarnation() {
        return storage.incarnation();
    }

    @Override
    public Optional<String> failureReason() {
        return storage.failureReason();
    }

    @Override
    public Future<Void> close() {
        return call(storage::close);
    }
}
