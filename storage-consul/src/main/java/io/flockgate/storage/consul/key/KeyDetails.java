package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.KeyType;
import io.flockgate.storage.consul.layout.KeyView;
import io.flockgate.storage.consul.layout.QueuedTicket;
import io.flockgate.storage.consul.layout.Slot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Describes keys for inspection. It has the exact times of this gateway's grants and waiters. The times of others begin when this
 * gateway saw the key's last change: they have held and waited at least so long, and their leases last at most so long.
 */
final class KeyDetails {
    private final LocalIndex localIndex;
    private final FenceGuard fences;

    KeyDetails(LocalIndex localIndex, FenceGuard fences) {
        this.localIndex = localIndex;
        this.fences = fences;
    }

    /**
     * The times of one key as this gateway knows them.
     *
     * @param unchangedSince the time since which the key has not changed, as far as this gateway knows
     * @param lastActivity the time at which this gateway last used the key
     */
    record Times(long unchangedSince, long lastActivity, long now) {}

    /** A part of the details of a key. Empty when the key does not exist, or when its prefix has another content. */
    Optional<KeyDetail> detail(KeyDetailQuery query, KeyView view, Times times) {
        return summary(query.key(), view, times).map(summary -> detail(summary, query, view, times));
    }

    private KeyDetail detail(KeySummary summary, KeyDetailQuery query, KeyView view, Times times) {
        List<Slot> after = view.slots().stream()
                .filter(each -> fences.isAfter(each.fenceIndex(), query.afterFence()))
                .toList();
        List<HolderView> holders = after.stream()
                .limit(query.limit())
                .map(each -> holder(each, times))
                .toList();
        List<WaiterView> waiters = view.queue().stream()
                .limit(query.limit())
                .map(each -> waiter(each, times))
                .toList();
        return new KeyDetail(summary, holders, after.size() > holders.size(), waiters);
    }

    /** The summary of a key. Empty when the key does not exist, or when its prefix has another content. */
    Optional<KeySummary> summary(Key key, KeyView view, Times times) {
        KeyType type = view.exists() ? view.type().orElse(null) : null;
        return type instanceof KeyType.Known known ? Optional.of(summary(key, known, view, times)) : Optional.empty();
    }

    private KeySummary summary(Key key, KeyType.Known known, KeyView view, Times times) {
        HolderView oldest = view.slots().stream()
                .findFirst()
                .map(each -> holder(each, times))
                .orElse(new HolderView(0, 0, 0, 0));
        return new KeySummary(
                key,
                known.kind(),
                known.limit(),
                view.slots().size(),
                view.queue().size(),
                oldest.claimantId(),
                oldest.leaseLeftNanos(),
                oldest.heldNanos(),
                Math.max(0, times.now() - times.lastActivity()));
    }

    private HolderView holder(Slot slot, Times times) {
        long now = times.now();
        HolderMark mark = slot.mark();
        long fence = fences.fence(slot.fenceIndex());
        LocalGrant grant = mark == null ? null : localIndex.grant(mark.nonce());
        if (grant != null) {
            return new HolderView(
                    grant.claimant().id(),
                    fence,
                    Math.max(0, now - grant.grantedAtNanos()),
                    Math.max(0, grant.leaseEndNanos() - now));
        }
        long seen = Math.max(0, now - times.unchangedSince());
        long lease = mark == null ? 0 : TimeUnit.MILLISECONDS.toNanos(mark.leaseMillis());
        // A silent lease may have been renewed at any moment.
        boolean mayBeRenewed = mark != null && mark.silent();
        return new HolderView(0, fence, seen, mayBeRenewed ? lease : Math.max(0, lease - seen));
    }

    private WaiterView waiter(QueuedTicket ticket, Times times) {
        LocalWaiter waiter = localIndex.waiter(ticket.name());
        return waiter == null
                ? new WaiterView(0, Math.max(0, times.now() - times.unchangedSince()))
                : new WaiterView(waiter.claimant().id(), Math.max(0, times.now() - waiter.queuedAtNanos()));
    }
}
