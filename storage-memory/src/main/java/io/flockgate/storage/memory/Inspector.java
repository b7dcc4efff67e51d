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
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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
        Page page = new Page(query, clock.getAsLong());
        Key after = query.after();
        int shard = after == null ? 0 : shardOf(after);
        while (shard < shards.length) {
            if (page.isFull()) {
                return new KeyPage(page.found, page.lastSeen);
            }
            after = shards[shard].scan(after, Math.min(FEW, page.wanted()), page);
            if (after == null) {
                shard++;
            }
        }
        return new KeyPage(page.found, null);
    }

    /** A page in the making. Only keys that were seen count, not empty shards: a page that is full has got somewhere. */
    private static final class Page implements Function<KeyState, Boolean> {
        final List<KeySummary> found = new ArrayList<>();
        final KeyQuery query;
        final long now;
        int seen;

        @Nullable
        Key lastSeen;

        Page(KeyQuery query, long now) {
            this.query = query;
            this.now = now;
        }

        boolean isFull() {
            return seen >= MOST_PER_PAGE || wanted() == 0;
        }

        int wanted() {
            return query.limit() - found.size();
        }

        @Override
        public Boolean apply(KeyState key) {
            seen++;
            lastSeen = key.key();
            if (key.key().startsWith(query.prefix())) {
                found.add(summary(key, now));
            }
            return true;
        }
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
