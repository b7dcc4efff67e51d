package io.flockgate.client.kubernetes;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values by key, of which only the most recently used are kept. Safe from any thread. */
final class Recent<V> {
    private static final int MAX = 10_000;

    private final Map<String, V> values = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MAX;
        }
    };

    synchronized @Nullable V get(String key) {
        return values.get(key);
    }

    synchronized void put(String key, V value) {
        values.put(key, value);
    }

    synchronized void remove(String key) {
        values.remove(key);
    }
}
