package io.flockgate.storage.tck;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Ending;
import io.flockgate.storage.EvictOutcome;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.LimitOutcome;
import io.flockgate.storage.RemoveOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of operators on {@link PlainStorage}. Guarded by the storage's mutex. */
final class PlainEviction {
    private final Fault fault;
    private final Mailbox mailbox;
    private final PlainKeys keys;

    PlainEviction(Fault fault, Mailbox mailbox, PlainKeys keys) {
        this.fault = fault;
        this.mailbox = mailbox;
        this.keys = keys;
    }

    EvictOutcome evict(Key name, long fence, long now) {
        PlainKey key = keys.find(name);
        if (key == null) {
            if (fault == Fault.EVICTION_MAKES_KEYS) {
                keys.add(new PlainKey(name, new Claim(name, Kind.LOCK, 1, 1, true), now));
            }
            return EvictOutcome.NOT_HELD;
        }
        keys.expire(key, now);
        List<PlainKey.Holder> evicted =
                key.holders.stream().filter(each -> each.fence == fence).toList();
        if (evicted.isEmpty()) {
            return key.holders.isEmpty() ? EvictOutcome.NOT_HELD : EvictOutcome.FENCE_MISMATCH;
        }
        evicted.forEach(each -> keys.end(each, Ending.EVICTED, now));
        if (fault != Fault.EVICTION_GRANTS_NOBODY) {
            keys.promote(key, now);
        }
        return EvictOutcome.EVICTED;
    }

    LimitOutcome setLimit(Key name, long limit, long now) {
        PlainKey key = keys.find(name);
        if (key == null || (key.kind == Kind.LOCK && fault != Fault.LIMIT_ORDER_IGNORES_KIND)) {
            return key == null ? LimitOutcome.NO_KEY : LimitOutcome.NO_SEMAPHORE;
        }
        keys.expire(key, now);
        if (fault != Fault.LIMIT_ORDER_DOES_NOTHING) {
            key.limit = limit;
        }
        if (fault != Fault.LIMIT_ORDER_GRANTS_NOBODY) {
            keys.promote(key, now);
        }
        while (fault == Fault.LIMIT_ORDER_ENDS_GRANTS && key.holders.size() > limit) {
            keys.end(key.holders.getLast(), Ending.LOST, now);
        }
        return LimitOutcome.CHANGED;
    }

    RemoveOutcome remove(Key name, String id, long now) {
        PlainKey key = keys.find(name);
        PlainKey.Waiter waiter = key == null ? null : find(key, id);
        if (key == null || waiter == null) {
            return fault == Fault.REMOVAL_ALWAYS_REMOVES ? RemoveOutcome.REMOVED : RemoveOutcome.NOT_QUEUED;
        }
        key.lastActivity = now;
        key.waiters.remove(waiter);
        mailbox.post(() -> waiter.claimant.removed(waiter));
        return RemoveOutcome.REMOVED;
    }

    private PlainKey.@Nullable Waiter find(PlainKey key, String id) {
        PlainKey.Waiter found = key.waiters.stream()
                .filter(each -> key.id(each, fault).equals(id))
                .findFirst()
                .orElse(null);
        return found != null && fault == Fault.REMOVAL_TAKES_THE_HEAD ? key.waiters.getFirst() : found;
    }
}
