package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClaimOutcome;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.Ending;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.KeyUsage;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LeaveOutcome;
import io.flockgate.storage.LimitOutcome;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.Refusal;
import io.flockgate.storage.ReleaseOutcome;
import io.flockgate.storage.RemoveOutcome;
import io.flockgate.storage.RenewOutcome;
import io.flockgate.storage.StorageException;
import io.flockgate.storage.StorageException.Effect;
import io.flockgate.storage.StorageException.FailureKind;
import io.flockgate.storage.Ticket;
import io.flockgate.storage.Token;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The simplest storage that keeps the contract: one mutex and one list of keys. It ignores speed,
 * and does not use the rules that it helps to check. It can be given one {@link Fault}. All its
 * notifications go through one {@link Mailbox}, in the order of the events.
 */
final class PlainStorage implements LockStorage {
    private final Fault fault;
    private final Limits limits;
    private final LongSupplier clock;
    private final Mailbox mailbox = new Mailbox();
    private final PlainKeys keys;
    private final PlainEviction eviction;
    private final String incarnation = UUID.randomUUID().toString();
    private boolean closed;

    PlainStorage(Fault fault, Limits limits, LongSupplier clock) {
        this.fault = fault;
        this.limits = limits;
        this.clock = clock;
        this.keys = new PlainKeys(fault, mailbox);
        this.eviction = new PlainEviction(fault, mailbox, keys);
    }

    private <T> Future<T> call(Supplier<T> work) {
        Promise<T> promise = Promise.promise();
        synchronized (this) {
            if (closed && fault != Fault.CLOSED_GOES_ON) {
                return Future.failedFuture(new StorageException(FailureKind.CLOSED, Effect.NOT_DONE, "closed"));
            }
            T result = work.get();
            mailbox.post(() -> promise.complete(result));
        }
        mailbox.deliver();
        return promise.future();
    }

    @Override
    public Future<ClaimOutcome> claim(Claim claim, Claimant claimant) {
        return call(() -> {
            long now = clock.getAsLong();
            PlainKey found = keys.find(claim.key());
            PlainKey key = found == null ? new PlainKey(keys.name(claim.key()), claim, now) : found;
            if (found == null && isFull()) {
                if (fault == Fault.REFUSED_KEY_STAYS) {
                    keys.add(key);
                }
                return Refusal.MAX_LOCKS;
            }
            if (claim.kind() != key.kind) {
                return Refusal.KIND_MISMATCH;
            }
            if (claim.limit() != key.limit) {
                keys.expire(key, now);
                if (!key.isIdle() || fault == Fault.LIMIT_LASTS) {
                    return Refusal.LIMIT_MISMATCH;
                }
                key.limit = claim.limit();
            }
            ClaimOutcome outcome = claim(key, claim, claimant, now);
            if (found == null && outcome != Refusal.MAX_HOLDERS) {
                keys.add(key);
            }
            return outcome;
        });
    }

    private boolean isFull() {
        long count = fault == Fault.IDLE_KEYS_DO_NOT_COUNT
                ? keys.all().stream().filter(each -> !each.isIdle()).count()
                : keys.all().size();
        return count >= limits.caps().maxLocks();
    }

    private ClaimOutcome claim(PlainKey key, Claim claim, Claimant claimant, long now) {
        key.lastActivity = now;
        keys.expire(key, now);
        if (key.holders.size() < key.limit && key.waiters.isEmpty()) {
            Refusal refusal = key.kind == Kind.LOCK && fault != Fault.HOLDERS_OF_LOCKS_COUNT ? null : holderTooMany();
            if (refusal != null) {
                return refusal;
            }
            PlainKey.Holder holder = keys.hold(key, claimant, claim.leaseSeconds(), now);
            if (fault == Fault.NOTIFIES_HELD_AS_GRANTED) {
                mailbox.post(() -> claimant.granted(new PlainKey.Waiter(key, claimant, 1, now), holder));
            }
            return new ClaimOutcome.Held(holder);
        }
        long most = limits.caps().maxWaiters();
        boolean full = most > 0 && key.waiters.size() >= most;
        if (!claim.mayQueue() && (!full || fault == Fault.BUSY_BEFORE_MAX_WAITERS)) {
            return Refusal.BUSY;
        }
        if (full) {
            return Refusal.MAX_WAITERS;
        }
        PlainKey.Waiter waiter = new PlainKey.Waiter(key, claimant, claim.leaseSeconds(), now);
        key.waiters.add(waiter);
        return new ClaimOutcome.Queued(waiter);
    }

    private @Nullable Refusal holderTooMany() {
        long inAll = keys.all().stream()
                .filter(each -> each.kind == Kind.SEMAPHORE || fault == Fault.HOLDERS_OF_LOCKS_COUNT)
                .mapToLong(each -> each.holders.size())
                .sum();
        return limits.caps().maxHolders() > 0 && inAll >= limits.caps().maxHolders() ? Refusal.MAX_HOLDERS : null;
    }

    @Override
    public Future<LeaveOutcome> leave(Ticket ticket) {
        return call(() -> {
            PlainKey.Waiter waiter = (PlainKey.Waiter) ticket;
            if (waiter.at().waiters.remove(waiter)) {
                waiter.at().lastActivity = clock.getAsLong();
                return LeaveOutcome.LEFT;
            }
            return LeaveOutcome.GRANTED;
        });
    }

    @Override
    public Future<ReleaseOutcome> release(Key name, Token token) {
        return call(() -> {
            long now = clock.getAsLong();
            PlainKey.Holder holder = keys.holder(name, token, fault == Fault.RELEASES_BY_FENCE_ONLY);
            if (holder == null) {
                keptAlive(name, now);
                return ReleaseOutcome.NOT_HELD;
            }
            keys.end(holder, Ending.RELEASED, now);
            keys.promote(holder.at, now);
            return ReleaseOutcome.RELEASED;
        });
    }

    private void keptAlive(Key name, long now) {
        PlainKey key = keys.find(name);
        if (key != null && fault == Fault.BOGUS_TOKEN_KEEPS_ALIVE) {
            key.lastActivity = now;
        }
    }

    @Override
    public Future<RenewOutcome> renew(Key name, Token token, long leaseSeconds) {
        return call(() -> {
            long now = clock.getAsLong();
            PlainKey.Holder holder = keys.holder(name, token, false);
            if (holder == null) {
                keptAlive(name, now);
                return RenewOutcome.NOT_HELD;
            }
            if (holder.leaseEnd <= now) {
                keys.end(holder, Ending.EXPIRED, now);
                keys.promote(holder.at, now);
                return RenewOutcome.LEASE_EXPIRED;
            }
            holder.leaseEnd = keys.leaseEnd(now, leaseSeconds);
            holder.at.lastActivity = now;
            return RenewOutcome.RENEWED;
        });
    }

    @Override
    public Future<EvictOutcome> evict(Key name, long fence, boolean force) {
        return call(() -> eviction.evict(name, fence, clock.getAsLong()));
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key name, String waiter) {
        return call(() -> eviction.remove(name, waiter, clock.getAsLong()));
    }

    @Override
    public Future<LimitOutcome> setLimit(Key name, long limit) {
        return call(() -> eviction.setLimit(name, limit, clock.getAsLong()));
    }

    @Override
    public Future<KeyPage> inspect(KeyQuery query) {
        return call(() -> {
            List<KeySummary> page = new ArrayList<>();
            List<KeyDetail> details = new ArrayList<>();
            Key after = query.after();
            for (PlainKey each : keys.inOrder()) {
                if (fault == Fault.INSPECTION_KEEPS_ALIVE) {
                    each.lastActivity = clock.getAsLong();
                }
                int order = after == null ? 1 : PlainKeys.ORDER.compare(each.name, after);
                boolean wanted = (fault == Fault.IGNORES_PREFIX || each.name.startsWith(query.prefix()))
                        && PlainDetail.matches(each, query.filter(), clock.getAsLong(), fault);
                if (!wanted || order <= 0) {
                    continue;
                }
                if (page.size() == query.limit()) {
                    return new KeyPage(page, details, page.getLast().key());
                }
                page.add(each.summary(clock.getAsLong()));
                if (query.clients() > 0 && fault != Fault.LISTS_NO_DETAILS) {
                    KeyDetailQuery first = KeyDetailQuery.first(each.name, query.clients());
                    details.add(PlainDetail.of(each, first, clock.getAsLong(), fault));
                }
            }
            return new KeyPage(page, details, null);
        });
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        return call(() -> {
            Key name = query.key();
            PlainKey key = keys.find(name);
            if (fault == Fault.INSPECTION_MAKES_KEYS && key == null) {
                keys.add(new PlainKey(name, new Claim(name, Kind.LOCK, 1, 1, true), clock.getAsLong()));
            }
            if (fault == Fault.INSPECTION_KEEPS_ALIVE && key != null) {
                key.lastActivity = clock.getAsLong();
            }
            return Optional.ofNullable(key).map(each -> PlainDetail.of(each, query, clock.getAsLong(), fault));
        });
    }

    @Override
    public synchronized KeyUsage usage() {
        long idle = keys.all().stream().filter(PlainKey::isIdle).count();
        return new KeyUsage(
                fault == Fault.IDLE_KEYS_DO_NOT_COUNT
                        ? keys.all().size() - idle
                        : keys.all().size(),
                idle,
                limits.caps().maxLocks());
    }

    @Override
    public Optional<String> incarnation() {
        return Optional.of(
                switch (fault) {
                    case INCARNATION_IS_CONSTANT -> "always-this";
                    case INCARNATION_IS_NO_WORD -> incarnation + " ";
                    default -> incarnation;
                });
    }

    @Override
    public Optional<String> failureReason() {
        return Optional.empty();
    }

    @Override
    public Future<Void> close() {
        Promise<Void> promise = Promise.promise();
        synchronized (this) {
            if (!closed && fault != Fault.CLOSING_NOTIFIES_NOBODY) {
                keys.endAll(clock.getAsLong());
            }
            closed = true;
            mailbox.post(promise::complete);
        }
        mailbox.deliver();
        return promise.future();
    }

    /** Does the work of timers and sweeps. */
    void workOff() {
        synchronized (this) {
            if (closed && fault != Fault.CLOSED_STILL_GRANTS) {
                return;
            }
            long now = clock.getAsLong();
            for (PlainKey each : keys.inOrder()) {
                keys.expire(each, now);
                if (fault == Fault.FORGETS_HELD_KEYS || each.isIdle()) {
                    keys.forgetIfIdle(each, now - limits.gcMaxIdle().toNanos());
                }
            }
        }
        mailbox.deliver();
    }

    synchronized long count(Key name, boolean holders) {
        @Nullable PlainKey key = keys.find(name);
        return key == null ? 0 : (holders ? key.holders : key.waiters).size();
    }

    @Override
    public String toString() {
        return Objects.toString(fault);
    }
}
