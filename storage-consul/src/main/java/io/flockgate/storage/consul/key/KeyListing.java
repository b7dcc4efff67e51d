package io.flockgate.storage.consul.key;

import io.flockgate.storage.Age;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
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
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.ClientMark;
import io.flockgate.storage.consul.format.HolderMark;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyType;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.Slot;
import io.flockgate.storage.consul.format.TicketMark.QueuedTicket;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lists and describes keys for inspection. Every call blocks. Thread safe.
 *
 * <p>It has the exact times of this gateway's grants and waiters. Other holders have held at least
 * since this gateway first saw their grants, and other waiters have waited at least since it saw
 * the key's last change. Counted from that change, the length of a lease is an upper bound.
 */
final class KeyListing {
    /** The time for which further pages are served from the read of the first. */
    private static final long PAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LocalGateway gateway;
    private final ToLongFunction<Key> lastUse;
    private volatile @Nullable AllKeys lastRead;

    /**
     * @param keys by the roots of their paths
     */
    private record AllKeys(NavigableMap<String, Found> keys, long readAt) {}

    private record Found(Key key, KeyView view) {}

    /**
     * @param lastUse returns the time of the last use by this gateway; if it has not used the key
     *     recently, that of its last change
     */
    KeyListing(LocalGateway gateway, ToLongFunction<Key> lastUse) {
        this.gateway = gateway;
        this.lastUse = lastUse;
    }

    /**
     * A part of the details of a key. Empty when the key does not exist, or when its prefix has
     * other content.
     */
    Optional<KeyDetail> detail(KeyDetailQuery query) {
        KeyPath path = gateway.paths.of(query.key());
        Shown shown = new Shown(query.key(), KeyView.of(path, gateway.api.list(path.root(), Consistency.DEFAULT)));
        return shown.summary().map(summary -> shown.detail(summary, query));
    }

    KeyPage page(KeyQuery query) {
        Key after = query.after();
        NavigableMap<String, Found> all = all(after != null).keys();
        Page page = new Page(query);
        Key last = null;
        for (Found each :
                (after == null ? all : all.tailMap(gateway.paths.of(after).root(), false)).values()) {
            if (page.found.size() == query.limit()) {
                return new KeyPage(page.found, page.details, last);
            }
            if (each.key().startsWith(query.prefix())) {
                page.add(new Shown(each.key(), each.view()));
                last = each.key();
            }
        }
        // There is no next page to request.
        lastRead = null;
        return new KeyPage(page.found, page.details, null);
    }

    private AllKeys all(boolean next) {
        AllKeys last = lastRead;
        long now = gateway.environment.now();
        if (next && last != null && now - last.readAt() < PAGES_NANOS) {
            return last;
        }
        NavigableMap<String, Found> keys = new TreeMap<>();
        gateway.keyIndex.byKey(
                gateway.api.list(gateway.paths.base(), Consistency.DEFAULT),
                (key, entries) -> add(key, new KvList(entries, 1), keys));
        for (Key key : gateway.paths.mapped()) {
            add(key, gateway.api.list(gateway.paths.of(key).root(), Consistency.DEFAULT), keys);
        }
        AllKeys fresh = new AllKeys(keys, now);
        lastRead = fresh;
        return fresh;
    }

    private void add(Key key, KvList list, Map<String, Found> keys) {
        KeyPath path = gateway.paths.of(key);
        keys.put(path.root(), new Found(key, KeyView.of(path, list)));
    }

    /** A page under construction. */
    private static final class Page {
        final List<KeySummary> found = new ArrayList<>();
        final List<KeyDetail> details = new ArrayList<>();
        private final KeyQuery query;

        Page(KeyQuery query) {
            this.query = query;
        }

        void add(Shown shown) {
            KeyFilter filter = query.filter();
            KeySummary summary = shown.summary().orElse(null);
            if (summary == null || !filter.matches(summary) || !hasClient(shown, summary)) {
                return;
            }
            found.add(summary);
            if (query.clients() > 0) {
                details.add(shown.detail(summary, KeyDetailQuery.first(summary.key(), query.clients())));
            }
        }

        private boolean hasClient(Shown shown, KeySummary summary) {
            KeyFilter filter = query.filter();
            if (filter.client() == null) {
                return true;
            }
            KeyDetail detail = shown.detail(summary, KeyDetailQuery.first(summary.key(), KeyFilter.MAX_CLIENTS));
            return Stream.concat(
                            detail.holders().stream().map(HolderView::client),
                            detail.waiters().stream().map(WaiterView::client))
                    .anyMatch(filter::matches);
        }
    }

    /** A key as a read shows it. */
    private final class Shown {
        private final Key key;
        private final KeyView view;
        private final long now = gateway.environment.now();

        /** The time since which the key has not changed, as far as this gateway knows. */
        private final long unchangedSince;

        Shown(Key key, KeyView view) {
            this.key = key;
            this.view = view;
            this.unchangedSince = gateway.keyIndex.since(key);
        }

        /**
         * The summary of the key. Empty when the key does not exist, or when its prefix has other
         * content.
         */
        Optional<KeySummary> summary() {
            KeyType type = view.exists() ? view.type().orElse(null) : null;
            return type instanceof KeyType.Known known ? Optional.of(summary(known)) : Optional.empty();
        }

        private KeySummary summary(KeyType.Known known) {
            return new KeySummary(
                    key,
                    known.kind(),
                    known.limit(),
                    view.slots().size(),
                    view.queue().size(),
                    view.slots().isEmpty() ? null : holder(view.slots().getFirst()),
                    Math.max(0, now - lastUse.applyAsLong(key)),
                    view.queue().stream().findFirst().map(this::waited).orElse(0L));
        }

        KeyDetail detail(KeySummary summary, KeyDetailQuery query) {
            List<Slot> after = view.slots().stream()
                    .filter(each -> gateway.fences.isAfter(each.fenceIndex(), query.afterFence()))
                    .toList();
            List<HolderView> holders =
                    after.stream().limit(query.limit()).map(this::holder).toList();
            List<WaiterView> waiters =
                    view.queue().stream().limit(query.limit()).map(this::waiter).toList();
            WaitCounts waits = query.counted() ? waits() : WaitCounts.NONE;
            return new KeyDetail(summary, holders, after.size() > holders.size(), waiters, waits);
        }

        private WaitCounts waits() {
            WaitCounts.Counter counter = new WaitCounts.Counter();
            view.queue().stream().limit(WaitCounts.MAX_WAITERS).forEach(each -> counter.add(waited(each)));
            return counter.counts();
        }

        private long waited(QueuedTicket ticket) {
            LocalWaiter waiter = gateway.waiters.get(ticket.name());
            return Math.max(0, now - (waiter == null ? unchangedSince : waiter.queuedAtNanos()));
        }

        private HolderView holder(Slot slot) {
            HolderMark mark = slot.mark();
            long fence = gateway.fences.fence(slot.fenceIndex());
            LocalGrant grant = mark == null ? null : gateway.grants.get(mark.nonce());
            Claimant claimant = grant == null ? null : grant.claimant();
            if (mark != null && grant != null && claimant != null) {
                return new HolderView(
                        own(claimant),
                        fence,
                        Age.exact(now - grant.grantedAtNanos(), since(mark.client())),
                        Math.max(0, grant.leaseEndNanos() - now));
            }
            long seen = Math.max(0, now - unchangedSince);
            long lease = mark == null ? 0 : TimeUnit.MILLISECONDS.toNanos(mark.leaseMillis());
            // A silent lease may have been renewed at any moment.
            boolean mayBeRenewed = mark != null && mark.isSilent();
            ClientMark client = mark == null ? null : mark.client();
            return new HolderView(
                    mark == null ? ClientView.UNKNOWN : other(mark.gateway(), client),
                    fence,
                    Age.atLeast(
                            Math.max(seen, now - gateway.keyIndex.heldSince(key, slot.fenceIndex())), since(client)),
                    mayBeRenewed ? lease : Math.max(0, lease - seen));
        }

        private WaiterView waiter(QueuedTicket ticket) {
            LocalWaiter waiter = gateway.waiters.get(ticket.name());
            ClientMark client = ticket.mark().client();
            return waiter == null
                    ? new WaiterView(
                            other(ticket.mark().gateway(), client),
                            ticket.name(),
                            Age.atLeast(waited(ticket), since(client)))
                    : new WaiterView(own(waiter.claimant()), ticket.name(), Age.exact(waited(ticket), since(client)));
        }
    }

    private ClientView own(Claimant claimant) {
        String process = gateway.settings.process();
        return ClientView.of(claimant, Names.nodeOf(process), process);
    }

    /** A client of another process. */
    private static ClientView other(String maker, @Nullable ClientMark client) {
        if (client == null) {
            return new ClientView(0, ClientDescription.UNKNOWN, Names.nodeOf(maker), maker);
        }
        ClientDescription description = client.description();
        boolean hasGateway = description.via() != Via.OTHER;
        return new ClientView(client.id(), description, hasGateway ? Names.nodeOf(maker) : null, maker);
    }

    private static long since(@Nullable ClientMark client) {
        return client == null ? 0 : client.sinceSeconds();
    }
}
