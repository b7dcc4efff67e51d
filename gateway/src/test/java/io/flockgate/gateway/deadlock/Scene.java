package io.flockgate.gateway.deadlock;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.storage.Age;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.ClientView;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.HolderView;
import io.flockgate.storage.KeyDetail.WaiterView;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keys with their holders and waiters, as a storage may show them. Fences and places are numbered
 * in order of arrival.
 */
final class Scene {
    private final Map<String, Entry> keys = new LinkedHashMap<>();
    private long count;

    private static final class Entry {
        final long limit;
        final List<HolderView> holders = new ArrayList<>();
        final List<WaiterView> waiters = new ArrayList<>();
        boolean more;

        Entry(long limit) {
            this.limit = limit;
        }
    }

    /** A client of this gateway, without a name. */
    static ClientView conn(long id) {
        return client(id, null, "gate-1");
    }

    static ClientView client(long id, @Nullable String name, String gateway) {
        return new ClientView(id, new ClientDescription(Via.CONNECTION, name, null), gateway, gateway + "-0");
    }

    @CanIgnoreReturnValue
    Scene semaphore(String key, long limit) {
        keys.put(key, new Entry(limit));
        return this;
    }

    private Entry key(String name) {
        return keys.computeIfAbsent(name, ignored -> new Entry(1));
    }

    @CanIgnoreReturnValue
    Scene holds(ClientView client, String... held) {
        for (String each : held) {
            boolean own = "gate-1".equals(client.gateway());
            key(each).holders.add(new HolderView(client, ++count, own ? Age.exact(5, 0) : Age.atLeast(5, 0), 7));
        }
        return this;
    }

    @CanIgnoreReturnValue
    Scene waits(ClientView client, String... wanted) {
        for (String each : wanted) {
            boolean own = "gate-1".equals(client.gateway());
            key(each).waiters.add(new WaiterView(client, "w" + ++count, own ? Age.exact(3, 0) : Age.atLeast(3, 0)));
        }
        return this;
    }

    /** The client holds the first key and waits for the second. */
    @CanIgnoreReturnValue
    Scene link(ClientView client, String held, String wanted) {
        return holds(client, held).waits(client, wanted);
    }

    @CanIgnoreReturnValue
    Scene ring(int clients) {
        for (int i = 0; i < clients; i++) {
            link(conn(i + 1), "key-" + i, "key-" + (i + 1) % clients);
        }
        return this;
    }

    @CanIgnoreReturnValue
    Scene more(String key) {
        key(key).more = true;
        return this;
    }

    /** Another holder takes the place of the holder of a lock. */
    @CanIgnoreReturnValue
    Scene changesHands(String key, ClientView to) {
        key(key).holders.clear();
        return holds(to, key);
    }

    /** The first waiter of a key queues again. */
    @CanIgnoreReturnValue
    Scene queuesAgain(String key) {
        WaiterView first = key(key).waiters.removeFirst();
        return waits(first.client(), key);
    }

    @CanIgnoreReturnValue
    Scene leaves(String key) {
        key(key).waiters.clear();
        return this;
    }

    List<KeyDetail> details() {
        List<KeyDetail> details = new ArrayList<>();
        keys.forEach((name, each) -> details.add(new KeyDetail(
                new KeySummary(
                        Key.of(name),
                        each.limit == 1 ? Kind.LOCK : Kind.SEMAPHORE,
                        each.limit,
                        each.holders.size(),
                        each.waiters.size(),
                        0,
                        0,
                        0,
                        0),
                each.holders,
                each.more,
                each.waiters)));
        return details;
    }
}
