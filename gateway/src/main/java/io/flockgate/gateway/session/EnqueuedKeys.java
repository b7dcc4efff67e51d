package io.flockgate.gateway.session;

import io.flockgate.storage.Key;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys that a session has enqueued and not yet waited for. Costs nothing while there are none. Event loop only. */
final class EnqueuedKeys {
    /** Grants that ended before their wait and are remembered, so that the wait can be told; older ones are forgotten. */
    private static final int MOST_EXPIRED = 1024;

    private @Nullable Map<Key, Enqueued> entries;
    private @Nullable ArrayDeque<Enqueued> expired;

    @Nullable
    Enqueued get(Key key) {
        return entries == null ? null : entries.get(key);
    }

    /** In place of what was remembered for the key before. */
    void put(Enqueued entry) {
        if (entries == null) {
            entries = new HashMap<>();
        }
        entries.put(entry.claim().key(), entry);
    }

    /** Does nothing when another entry stands for the key by now. */
    void forget(Enqueued entry) {
        if (entries != null) {
            entries.remove(entry.claim().key(), entry);
        }
    }

    /** Keeps an entry whose lease has ended for its wait, unless nobody can wait for it any more. */
    void expired(Enqueued entry) {
        if (get(entry.claim().key()) != entry) {
            return;
        }
        if (expired == null) {
            expired = new ArrayDeque<>();
        }
        expired.add(entry);
        if (expired.size() > MOST_EXPIRED) {
            forget(expired.remove());
        }
    }

    Collection<Enqueued> takeAll() {
        Collection<Enqueued> all = entries == null ? List.of() : entries.values();
        entries = null;
        expired = null;
        return all;
    }
}
