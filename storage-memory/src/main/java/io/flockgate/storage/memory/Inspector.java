package io.flockgate.storage.memory;

import io.flockgate.storage.Age;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.WaitCounts;
import io.flockgate.storage.rules.Holder;
import io.flockgate.storage.rules.KeyState;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Copies keys for inspection, a few at a time under a shard's monitor. */
final class Inspector {
    /**
     * The maximum number of keys and clients visited in one hold of a monitor, plus the clients of
     * one key.
     */
    private static final int MAX_PER_HOLD = 128;

    /** The maximum number of keys and clients visited for one page, plus those of one hold. */
    private static final int MAX_PER_PAGE = 1024;

    private final Shard[] shards;
    private final LongSupplier clock;
    private final String gateway;
    private final WallClock timeOfDay;

    /**
     * @param gateway the node name of the gateway, to which all clients belong
     */
    Inspector(Shard[] shards, LongSupplier clock, String gateway) {
        this.shards = shards;
        this.clock = clock;
        this.gateway = gateway;
        this.timeOfDay = new WallClock(clock, System::currentTimeMillis);
    }

    /** The next keys in hash order. A page ends early when few keys match. */
    KeyPage page(KeyQuery query) {
        Page page = new Page(query, clock.getAsLong());
        Key after = query.after();
        int shard = after == null ? 0 : MemoryStorage.indexOf(after);
        while (shard < shards.length) {
            if (page.isFull()) {
                return page.endingAt(page.lastSeen);
            }
            page.beginHold();
            after = shards[shard].scan(after, Math.min(MAX_PER_HOLD, page.wanted()), page);
            if (after == null) {
                shard++;
            }
        }
        return page.endingAt(null);
    }

    /**
     * A page under construction. Its limits count visited keys and clients, not empty shards, so
     * that each full page advances.
     */
    private final class Page implements Function<KeyState, Boolean> {
        final List<KeySummary> found = new ArrayList<>();
        final List<KeyDetail> details = new ArrayList<>();
        final KeyQuery query;
        final long now;
        int seen;
        int seenBeforeHold;

        @Nullable
        Key lastSeen;

        Page(KeyQuery query, long now) {
            this.query = query;
            this.now = now;
        }

        boolean isFull() {
            return seen >= MAX_PER_PAGE || wanted() == 0;
        }

        int wanted() {
            return query.limit() - found.size();
        }

        void beginHold() {
            seenBeforeHold = seen;
        }

        KeyPage endingAt(@Nullable Key last) {
            return new KeyPage(found, details, last);
        }

        /** Visits a key, and returns whether the monitor may be held for another one. */
        @Override
        public Boolean apply(KeyState key) {
            seen++;
            lastSeen = key.key();
            if (key.key().startsWith(query.prefix())
                    && query.filter().mayMatch(key.kind(), key.holderCount(), key.waiterCount())) {
                KeySummary summary = summary(key, now);
                if (query.filter().matches(summary) && hasWantedClient(key)) {
                    add(key, summary);
                }
            }
            return seen - seenBeforeHold < MAX_PER_HOLD;
        }

        private void add(KeyState key, KeySummary summary) {
            found.add(summary);
            if (query.clients() > 0) {
                KeyDetail detail = detail(key, KeyDetailQuery.first(key.key(), query.clients()), now);
                seen += detail.holders().size() + detail.waiters().size();
                details.add(detail);
            }
        }

        private boolean hasWantedClient(KeyState key) {
            return query.filter().client() == null
                    || key.holders(0, KeyFilter.MAX_CLIENTS).stream().anyMatch(each -> isWanted(each.claimant()))
                    || key.waiters(KeyFilter.MAX_CLIENTS).stream().anyMatch(each -> isWanted(each.claimant()));
        }

        private boolean isWanted(Claimant claimant) {
            seen++;
            return query.filter().matches(client(claimant));
        }
    }

    KeySummary summary(KeyState key, long now) {
        Holder oldest = key.oldestHolder();
        return new KeySummary(
                key.key(),
                key.kind(),
                key.limit(),
                key.holderCount(),
                key.waiterCount(),
                oldest == null ? null : view(oldest, now),
                Math.max(0, now - key.lastActivity()),
                key.waiterCount() == 0
                        ? 0
                        : Math.max(0, now - key.waiters(1).getFirst().queuedAtNanos()));
    }

    /**
     * A page of the key's holders and the beginning of its queue. Visits only what it shows, except
     * for the counts of waits.
     */
    KeyDetail detail(KeyState key, KeyDetailQuery query, long now) {
        List<HolderView> holders = key.holders(query.afterFence(), query.limit()).stream()
                .map(each -> view(each, now))
                .toList();
        boolean more =
                !holders.isEmpty() && !key.holders(holders.getLast().fence(), 1).isEmpty();
        List<WaiterView> waiters = key.waiters(query.limit()).stream()
                .map(each -> new WaiterView(
                        client(each.claimant()),
                        HexFormat.of().toHexDigits(each.number()),
                        age(each.queuedAtNanos(), now)))
                .toList();
        WaitCounts waits = query.counted() ? key.waits(now) : WaitCounts.NONE;
        return new KeyDetail(summary(key, now), holders, more, waiters, waits);
    }

    private HolderView view(Holder holder, long now) {
        return new HolderView(
                client(holder.claimant()),
                holder.fence(),
                age(holder.grantedAtNanos(), now),
                Math.max(0, holder.leaseEndNanos() - now));
    }

    private Age age(long beginning, long now) {
        return Age.exact(now - beginning, timeOfDay.second(beginning));
    }

    private ClientView client(Claimant claimant) {
        return ClientView.of(claimant, gateway, "");
    }

    /**
     * Converts readings of the storage's clock to the time of day, so that one reading always gives
     * the same second. It follows the system's time of day only when that has been changed by more
     * than a second. Thread safe.
     */
    static final class WallClock {
        private static final long SECOND_NANOS = 1_000_000_000;
        private static final long MILLI_NANOS = 1_000_000;

        private final LongSupplier nanos;
        private final LongSupplier millis;
        private volatile long offset;

        /**
         * @param nanos the storage's clock
         * @param millis the time of day in milliseconds since 1970
         */
        WallClock(LongSupplier nanos, LongSupplier millis) {
            this.nanos = nanos;
            this.millis = millis;
            this.offset = difference();
        }

        private long difference() {
            return millis.getAsLong() * MILLI_NANOS - nanos.getAsLong();
        }

        /** The second since 1970 of a reading. */
        long second(long reading) {
            long now = difference();
            if (Math.abs(now - offset) > SECOND_NANOS) {
                offset = now;
            }
            return Math.floorDiv(reading + offset, SECOND_NANOS);
        }
    }
}
