package io.flockgate.storage.consul.key;

import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.format.KeyPath;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.KeyView;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Lists and describes keys for inspection. Every call blocks. Thread safe. */
final class KeyListing {
    /** The time for which further pages are served from the read of the first. */
    private static final long PAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LocalGateway gateway;
    private final KeyPaths paths;
    private final KeyDetails details;
    private final ToLongFunction<Key> lastUse;
    private volatile @Nullable AllKeys lastRead;

    private record AllKeys(TreeMap<String, KeyView> views, Map<String, Key> keys, long readAt) {}

    /**
     * @param lastUse returns the time of the last use by this gateway; if it has not used the key
     *     recently, that of its last change
     */
    KeyListing(LocalGateway gateway, ToLongFunction<Key> lastUse) {
        this.gateway = gateway;
        this.paths = gateway.paths;
        this.details = new KeyDetails(gateway.localIndex, gateway.fences, gateway.settings.process());
        this.lastUse = lastUse;
    }

    Optional<KeyDetail> detail(KeyDetailQuery query) {
        KeyPath path = paths.of(query.key());
        KeyView view = KeyView.of(path, gateway.api.list(path.root(), Consistency.DEFAULT));
        return details.detail(query, view, times(query.key()));
    }

    private KeyDetails.Times times(Key key) {
        return new KeyDetails.Times(
                gateway.keyIndex.since(key),
                index -> gateway.keyIndex.heldSince(key, index),
                lastUse.applyAsLong(key),
                gateway.environment.now());
    }

    KeyPage page(KeyQuery query) {
        AllKeys all = all(query.after() != null);
        Key after = query.after();
        var names = after == null
                ? all.views()
                : all.views().tailMap(paths.of(after).root(), false);
        Page page = new Page(query);
        Key last = null;
        for (Map.Entry<String, KeyView> each : names.entrySet()) {
            if (page.found.size() == query.limit()) {
                return new KeyPage(page.found, page.details, last);
            }
            Key key = all.keys().get(each.getKey());
            if (key != null && key.startsWith(query.prefix())) {
                page.add(key, each.getValue());
                last = key;
            }
        }
        // There is no next page to request.
        lastRead = null;
        return new KeyPage(page.found, page.details, null);
    }

    /** A page under construction. */
    private final class Page {
        final List<KeySummary> found = new ArrayList<>();
        final List<KeyDetail> details = new ArrayList<>();
        private final KeyQuery query;

        Page(KeyQuery query) {
            this.query = query;
        }

        void add(Key key, KeyView view) {
            KeyFilter filter = query.filter();
            KeyDetails.Times times = times(key);
            KeySummary summary =
                    KeyListing.this.details.summary(key, view, times).orElse(null);
            if (summary == null || !filter.matches(summary)) {
                return;
            }
            if (filter.client() == null && query.clients() == 0) {
                found.add(summary);
                return;
            }
            KeyDetail detail =
                    detail(key, view, times, filter.client() == null ? query.clients() : KeyFilter.MAX_CLIENTS);
            if (filter.client() != null && clients(detail).noneMatch(filter::matches)) {
                return;
            }
            found.add(summary);
            if (query.clients() > 0) {
                details.add(filter.client() == null ? detail : detail(key, view, times, query.clients()));
            }
        }

        private KeyDetail detail(Key key, KeyView view, KeyDetails.Times times, int clients) {
            return KeyListing.this
                    .details
                    .detail(KeyDetailQuery.first(key, clients), view, times)
                    .orElseThrow();
        }

        private static Stream<ClientView> clients(KeyDetail detail) {
            return Stream.concat(
                    detail.holders().stream().map(HolderView::client),
                    detail.waiters().stream().map(WaiterView::client));
        }
    }

    private AllKeys all(boolean next) {
        AllKeys last = lastRead;
        long now = gateway.environment.now();
        if (next && last != null && now - last.readAt() < PAGES_NANOS) {
            return last;
        }
        TreeMap<String, KeyView> found = new TreeMap<>();
        Map<String, Key> keys = new HashMap<>();
        gateway.keyIndex.byKey(
                gateway.api.list(paths.base(), Consistency.DEFAULT),
                (key, entries) -> add(key, new KvList(entries, 1), found, keys));
        for (Key key : paths.mapped()) {
            add(key, gateway.api.list(paths.of(key).root(), Consistency.DEFAULT), found, keys);
        }
        AllKeys fresh = new AllKeys(found, keys, now);
        lastRead = fresh;
        return fresh;
    }

    private void add(Key key, KvList list, Map<String, KeyView> found, Map<String, Key> keys) {
        KeyPath path = paths.of(key);
        found.put(path.root(), KeyView.of(path, list));
        keys.put(path.root(), key);
    }
}
