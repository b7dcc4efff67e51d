package io.flockgate.storage.memory;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.ClaimOutcome.Held;
import io.flockgate.storage.ClaimOutcome.Ticket;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.storage.Token;
import io.flockgate.storage.memory.LeaseExpirer.Housekeeping;
import io.flockgate.storage.memory.journal.DurableState;
import io.flockgate.storage.memory.journal.GrantRecord;
import io.flockgate.storage.memory.journal.KeptGrants;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.TokenGenerator;
import io.flockgate.storage.rules.Waiter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A storage in the memory of the process. A call runs on the caller's thread. Its future is
 * complete on return, unless a grant must be durable first. Leases end on a thread of the storage.
 * Everything is lost with the process, except what a {@link DurableState} preserves.
 */
public final class MemoryStorage implements LockStorage {
    private static final int SHARD_BITS = 5;
    private static final long MAX_NANOS = Long.MAX_VALUE / 4;

    /** By the uppermost bits of the key's hash. Not private: tests count the keys in them. */
    final Shard[] shards = new Shard[1 << SHARD_BITS];

    private final LongSupplier clock;
    private final LeaseExpirer leaseExpirer;
    private final Housekeeping housekeeping;
    private final Inspector inspector;
    private final Capacity keyCapacity;
    private final String incarnation;
    private final Vertx vertx;

    /** Null if nothing outlives the process. */
    private final @Nullable DurableState state;

    /** Those of the state; null if all grants end with the process. */
    private final @Nullable KeptGrants kept;

    private volatile boolean closed;

    /**
     * Creates a storage whose leases do not end by themselves until {@link #start}, and of which
     * nothing outlives the process.
     */
    MemoryStorage(StorageSettings settings, TokenGenerator tokens) {
        this(settings, tokens, null);
    }

    /** Creates such a storage on a state, which it closes. Grants are not restored yet. */
    MemoryStorage(StorageSettings settings, DurableState state) {
        this(settings, state.fences(), state);
    }

    private MemoryStorage(StorageSettings settings, TokenGenerator tokens, @Nullable DurableState state) {
        this.clock = settings.clock();
        this.state = state;
        this.kept = state == null ? null : state.grants();
        this.vertx = settings.vertx();
        this.incarnation = HexFormat.of().toHexDigits(kept == null ? new SecureRandom().nextLong() : kept.id());
        Upkeep upkeep = settings.upkeep();
        this.inspector = new Inspector(shards, clock, settings.gateway().name());
        this.housekeeping = new Housekeeping(
                shards,
                clock,
                nanos(upkeep.gcInterval()),
                nanos(upkeep.gcMaxIdle()),
                kept == null ? () -> {} : kept::failOverdue);
        this.leaseExpirer =
                new LeaseExpirer(clock, nanos(upkeep.sweepInterval()), housekeeping::run, housekeeping::nanosToNextEnd);
        StorageLimits limits = settings.limits();
        this.keyCapacity = new Capacity(limits.maxLocks());
        Capacity holders = new Capacity(limits.maxHolders());
        for (int i = 0; i < shards.length; i++) {
            Bookkeeping book = new Bookkeeping(
                    holders, limits.maxWaiters(), leaseExpirer::atLatest, kept == null ? null : kept.changes());
            shards[i] = new Shard(SHARD_BITS, clock, tokens, keyCapacity, book);
        }
    }

    /**
     * Restores the grants of the previous process, if there are any. Their leases restart.
     *
     * @throws IOException if grants do not fit their keys, so that they cannot have been made
     */
    void restore(long wallMillis) throws IOException {
        KeptGrants grants = kept;
        if (grants == null) {
            return;
        }
        long now = clock.getAsLong();
        for (GrantRecord grant : grants.restore(this::evictInMemory)) {
            long age = Math.max(0, wallMillis - grant.grantedAtMillis());
            Holder holder =
                    shard(grant.key()).restore(grant, grants.claimant(grant), now - TimeUnit.MILLISECONDS.toNanos(age));
            if (holder == null) {
                throw new IOException("the journal of the grants has more grants of a key than its limit allows");
            }
            grants.restored(holder, grant);
        }
    }

    private void evictInMemory(Holder holder) {
        EvictOutcome unused = shard(holder.key()).evict(holder.key(), holder.fence());
    }

    void start(ThreadFactory threads) {
        leaseExpirer.start(threads);
    }

    /** Does the due work of the storage's thread now, for tests whose clock stands still. */
    void runDue() {
        housekeeping.run();
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        if (closed) {
            return failedAsClosed();
        }
        // A claim whose grant outlives the process is answered once the grant is durable.
        KeptGrants keeper = claimant.memo() == null ? null : kept;
        Optional<String> refused = keeper == null ? Optional.empty() : keeper.whyRefused();
        if (refused.isPresent()) {
            return Future.failedFuture(new StorageException(FailureKind.UNAVAILABLE, Effect.NOT_DONE, refused.get()));
        }
        try {
            ClaimOutcome outcome = shard(claim.key()).claim(claim, claimant);
            return keeper != null && outcome instanceof Held held
                    ? keeper.written(held.grant()).map(outcome)
                    : Future.succeededFuture(outcome);
        } catch (StorageException e) {
            return Future.failedFuture(e);
        }
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return closed
                ? failedAsClosed()
                : Future.succeededFuture(shard(ticket.key()).leave((Waiter) ticket));
    }

    @Override
    public Future<ReleaseOutcome> release(Key key, Token token) {
        return closed ? failedAsClosed() : Future.succeededFuture(shard(key).release(key, token));
    }

    @Override
    public Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds) {
        if (closed) {
            return failedAsClosed();
        }
        return kept == null
                ? Future.succeededFuture(shard(key).renew(key, token, leaseSeconds))
                : kept.renew(token, leaseSeconds, () -> shard(key).renew(key, token, leaseSeconds));
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        return closed ? failedAsClosed() : Future.succeededFuture(shard(key).evict(key, fence));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        if (closed) {
            return failedAsClosed();
        }
        try {
            return Future.succeededFuture(shard(key).remove(key, HexFormat.fromHexDigitsToLong(waiter)));
        } catch (IllegalArgumentException e) {
            return Future.succeededFuture(RemoveOutcome.NOT_QUEUED);
        }
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        return closed ? failedAsClosed() : Future.succeededFuture(shard(key).setLimit(key, limit));
    }

    @Override
    public Future<KeyPage> inspect(KeyQuery query) {
        return closed ? failedAsClosed() : Future.succeededFuture(inspector.page(query));
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        if (closed) {
            return failedAsClosed();
        }
        KeyDetail detail = shard(query.key()).view(query.key(), (key, now) -> inspector.detail(key, query, now));
        return Future.succeededFuture(Optional.ofNullable(detail));
    }

    @Override
    public KeyUsage usage() {
        long idle = 0;
        for (Shard shard : shards) {
            idle += shard.idleKeys();
        }
        return new KeyUsage(keyCapacity.used(), idle, keyCapacity.max());
    }

    @Override
    public Optional<String> incarnation() {
        return Optional.of(incarnation);
    }

    @Override
    public Optional<String> failureReason() {
        if (closed) {
            return Optional.of("storage closed");
        }
        return state == null ? Optional.empty() : state.failureReason();
    }

    @Override
    public Survival survival() {
        return kept == null ? Survival.NONE : Survival.KEPT;
    }

    @Override
    public List<KeptClient> keptClients() {
        return kept == null ? List.of() : kept.takeClients();
    }

    @Override
    public Future<Void> close() {
        if (closed) {
            return Future.succeededFuture();
        }
        closed = true;
        leaseExpirer.stop();
        // Before the shards, because grants that end in them from now on continue in the next
        // process.
        return vertx.executeBlocking(() -> {
                    if (state != null) {
                        state.close();
                    }
                    return true;
                })
                .eventually(() -> {
                    for (Shard shard : shards) {
                        shard.close();
                    }
                    return Future.succeededFuture();
                })
                .mapEmpty();
    }

    /** At most 73 years, so that sums and differences of clock readings fit into 64 bits. */
    private static long nanos(Duration duration) {
        return duration.toSeconds() >= MAX_NANOS / 1_000_000_000L ? MAX_NANOS : duration.toNanos();
    }

    private Shard shard(Key key) {
        return shards[indexOf(key)];
    }

    /** The index of the shard of a key. */
    static int indexOf(Key key) {
        return key.hashCode() >>> (Integer.SIZE - SHARD_BITS);
    }

    private static <T> Future<T> failedAsClosed() {
        return Future.failedFuture(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "the storage is closed"));
    }
}
