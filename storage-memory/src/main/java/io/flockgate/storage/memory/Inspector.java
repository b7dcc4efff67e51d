package io.flockgate.storage.memory;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Views of keys for people: copies, made under a shard's monitor a few at a time. */
final class Inspector {
    /** Keys looked at in one hold of a monitor, and in one page beyond those asked for. */
    private static final int FEW = 128;

    private static final int MOST_PER_PAGE = 1024;

    private final Shard[] shards;
    private final LongSupplier clock;

    Inspector(Shard[] shards, LongSupplier clock) {
        this.shards = shards;
        this.clock = clock;
    }

    /** The next keys in hash order. A page ends early when the prefix fits few keys. */
    KeyPage page(KeyQuery query) {
        List<KeySummary> found = new ArrayList<>(Math.min(query.limit(), MOST_PER_PAGE));
        long now = clock.getAsLong();
        Key after = query.after();
        int shard = after == null ? 0 : shardOf(after);
        Key lastSeen = after;
        for (int looked = 0; shard < shards.length; looked += FEW) {
            if (looked >= MOST_PER_PAGE || found.size() >= query.limit()) {
                return new KeyPage(found, lastSeen);
            }
            int wanted = query.limit() - found.size();
            Key last = shards[shard].scan(after, Math.min(FEW, wanted), key -> {
                if (key.key().startsWith(query.prefix())) {
                    found.add(summary(key, now));
                }
                return true;
            });
            if (last == null) {
                shard++;
                after = null;
            } else {
                after = last;
                lastSeen = last;
            }
        }
        return new KeyPage(found, null);
    }

    private int shardOf(Key key) {
        return (int) ((Integer.toUnsignedLong(key.hashCode()) * shards.length) >>> Integer.SIZE);
    }

    static KeySummary summary(KeyState key, long now) {
        Holder oldest = key.oldestHolder();
        return new KeySummary(
                key.key(),
                key.kind(),
                key.limit(),
                key.holderCount(),
                key.waiterCount(),
                oldest == null ? 0 : oldest.claimant().id(),
                oldest == null ? 0 : leaseLeft(oldest, now),
                oldest == null ? 0 : Math.max(0, now - oldest.grantedAtNanos()),
                Math.max(0, now - key.lastActivity()));
    }

    static KeyDetail detail(KeyState key, long now) {
        List<HolderView> holders = new ArrayList<>();
        key.forEachHolder(holder -> holders.add(new HolderView(
                holder.claimant().id(),
                holder.fence(),
                Math.max(0, now - holder.grantedAtNanos()),
                leaseLeft(holder, now))));
        List<WaiterView> waiters = new ArrayList<>();
        key.forEachWaiter(waiter ->
                waiters.add(new WaiterView(waiter.claimant().id(), Math.max(0, now - waiter.queuedAtNanos()))));
        return new KeyDetail(summary(key, now), holders, waiters);
    }

    private static long leaseLeft(Holder holder, long now) {
        return Math.max(0, holder.leaseEndNanos() - now);
    }
}
