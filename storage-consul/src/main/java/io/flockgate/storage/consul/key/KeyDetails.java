package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
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
     * The details of a key. Empty when the key does not exist, or when its prefix has another content.
     *
     * @param since the time since which the key has not changed, as far as this gateway knows
     * @param lastActivity the time at which this gateway last used the key
     */
    Optional<KeyDetail> detail(Key key, KeyView view, long since, long lastActivity, long now) {
        KeyType type = view.exists() ? view.type().orElse(null) : null;
        if (!(type instanceof KeyType.Known known)) {
            return Optional.empty();
        }
        List<HolderView> holders =
                view.slots().stream().map(each -> holder(each, since, now)).toList();
        List<WaiterView> waiters =
                view.queue().stream().map(each -> waiter(each, since, now)).toList();
        return Optional.of(new KeyDetail(summary(key, known, holders, waiters, now - lastActivity), holders, waiters));
    }

    private static KeySummary summary(
            Key key, KeyType.Known known, List<HolderView> holders, List<WaiterView> waiters, long idle) {
        Kind kind = known.kind();
        HolderView oldest = holders.isEmpty() ? new HolderView(0, 0, 0, 0) : holders.getFirst();
        return new KeySummary(
                key,
                kind,
                known.limit(),
                holders.size(),
                waiters.size(),
                oldest.claimantId(),
                oldest.leaseLeftNanos(),
                oldest.heldNanos(),
                Math.max(0, idle));
    }

    private HolderView holder(Slot slot, long since, long now) {
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
        long seen = Math.max(0, now - since);
        long lease = mark == null ? 0 : TimeUnit.MILLISECONDS.toNanos(mark.leaseMillis());
        // A silent lease may have been renewed at any moment.
        boolean mayBeRenewed = mark != null && mark.silent();
        return new HolderView(0, fence, seen, mayBeRenewed ? lease : Math.max(0, lease - seen));
    }

    private WaiterView waiter(QueuedTicket ticket, long since, long now) {
        LocalWaiter waiter = localIndex.waiter(ticket.name());
        return waiter == null
                ? new WaiterView(0, Math.max(0, now - since))
                : new WaiterView(waiter.claimant().id(), Math.max(0, now - waiter.queuedAtNanos()));
    }
}
