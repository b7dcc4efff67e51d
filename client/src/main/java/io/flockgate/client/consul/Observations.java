package io.flockgate.client.consul;

import io.flockgate.client.LeaseEnvironment.Ticker;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers since when entries of others have not changed, by this machine's clock alone, because the clocks of other machines may
 * differ. Forgets the entries that were looked at longest ago. Thread safe.
 */
final class Observations {
    private static final int MAX_ENTRIES = 10_000;

    private final Ticker ticker;

    private final Map<String, Unchanged> unchanged = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Unchanged> eldest) {
            return size() > MAX_ENTRIES;
        }
    };

    private record Unchanged(long modifyIndex, long since) {}

    Observations(Ticker ticker) {
        this.ticker = ticker;
    }

    /** The nanoseconds for which this entry has been seen as it is. Zero when it is new. */
    long unchangedNanos(Entry entry) {
        return unchangedNanos(entry.key(), entry.modifyIndex());
    }

    /** The nanoseconds for which the entry of this name has been seen with this index of its last change. */
    synchronized long unchangedNanos(String entry, long modifyIndex) {
        long now = ticker.nanos();
        Unchanged last = unchanged.get(entry);
        if (last == null || last.modifyIndex() != modifyIndex) {
            unchanged.put(entry, new Unchanged(modifyIndex, now));
            return 0;
        }
        return now - last.since();
    }

    /** Forgets the entries below this prefix. */
    synchronized void forgetBelow(String prefix) {
        unchanged.keySet().removeIf(each -> each.startsWith(prefix));
    }

    /** Forgets an entry: from now on its time counts anew. */
    synchronized void forget(String key) {
        unchanged.remove(key);
    }
}
