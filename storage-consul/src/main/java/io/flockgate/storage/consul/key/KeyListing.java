package io.flockgate.storage.consul.key;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetailQuery;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.consul.api.Consistency;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.KvList;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.layout.KeyPath;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.layout.KeyView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Lists keys, and describes them, for inspection. Every call blocks. Thread safe. */
final class KeyListing {
    /** The time for which further pages come from the read of the first. */
    private static final long PAGES_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final ConsulApi api;
    private final KeyPaths paths;
    private final KeyIndex keyIndex;
    private final KeyDetails details;
    private final ToLongFunction<Key> lastActivity;
    private volatile @Nullable Listing listing;

    private record Listing(TreeMap<String, KeyView> views, Map<String, Key> keys, long readAt) {}

    /** @param lastActivity gives the time at which this gateway last used a key */
    KeyListing(
            Environment environment,
            ConsulApi api,
            KeyPaths paths,
            KeyIndex keyIndex,
            KeyDetails details,
            ToLongFunction<Key> lastActivity) {
        this.environment = environment;
        this.api = api;
        this.paths = paths;
        this.keyIndex = keyIndex;
        this.details = details;
        this.lastActivity = lastActivity;
    }

    Optional<KeyDetail> detail(KeyDetailQuery query) {
        KeyPath path = paths.of(query.key());
        KeyView view = KeyView.of(path, api.list(path.root(), Consistency.DEFAULT));
        return details.detail(query, view, times(query.key()));
    }

    private KeyDetails.Times times(Key key) {
        return new KeyDetails.Times(keyIndex.since(key), lastActivity.applyAsLong(key), environment.now());
    }

    KeyPage page(KeyQuery query) {
        Listing all = listing(query.after() != null);
        Key after = query.after();
        var names = after == null
                ? all.views()
                : all.views().tailMap(paths.of(after).root(), false);
        List<KeySummary> page = new ArrayList<>();
        Key last = null;
        for (Map.Entry<String, KeyView> each : names.entrySet()) {
            if (page.size() == query.limit()) {
                return new KeyPage(page, last);
            }
            Key key = all.keys().get(each.getKey());
            if (key != null && key.startsWith(query.prefix())) {
                details.summary(key, each.getValue(), times(key)).ifPresent(page::add);
                last = key;
            }
        }
        return new KeyPage(page, null);
    }

    private Listing listing(boolean next) {
        Listing last = listing;
        long now = environment.now();
        if (next && last != null && now - last.readAt() < PAGES_NANOS) {
            return last;
        }
        TreeMap<String, KeyView> found = new TreeMap<>();
        Map<String, Key> keys = new HashMap<>();
        keyIndex.byKey(
                api.list(paths.base(), Consistency.DEFAULT),
                (key, entries) -> add(key, new KvList(entries, 1), found, keys));
        for (Key key : paths.mapped()) {
            add(key, api.list(paths.of(key).root(), Consistency.DEFAULT), found, keys);
        }
        Listing fresh = new Listing(found, keys, now);
        listing = fresh;
        return fresh;
    }

    private void add(Key key, KvList list, Map<String, KeyView> found, Map<String, Key> keys) {
        KeyPath path = paths.of(key);
        found.put(path.root(), KeyView.of(path, list));
        keys.put(path.root(), key);
    }
}
