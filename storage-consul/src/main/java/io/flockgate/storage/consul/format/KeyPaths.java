package io.flockgate.storage.consul.format;

import io.flockgate.storage.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The paths of all keys: below the base by their escaped names, or at a prefix that an operator has
 * chosen. Immutable.
 */
public final class KeyPaths {
    private final String base;
    private final Map<Key, KeyPath> mapped;

    /**
     * @param base the prefix of all names, with a slash at its end
     * @param mapped keys and their prefixes, without slashes at their ends
     */
    public KeyPaths(String base, Map<Key, String> mapped) {
        this.base = base;
        Map<Key, KeyPath> paths = new HashMap<>();
        mapped.forEach((key, prefix) -> paths.put(key, new KeyPath(prefix, true)));
        this.mapped = Map.copyOf(paths);
    }

    public String base() {
        return base;
    }

    /** The path of a key. */
    public KeyPath of(Key key) {
        KeyPath path = mapped.get(key);
        if (path != null) {
            return path;
        }
        return new KeyPath(base + Names.escape(key.toBytes()), false);
    }

    /** The keys that are not below the base. */
    public Set<Key> mapped() {
        return mapped.keySet();
    }

    /** The key below the base to which this name belongs; null when there is none. */
    public @Nullable Key keyOf(String name) {
        int from = base.length();
        int to = name.indexOf('/', from);
        if (!name.startsWith(base) || to < 0) {
            return null;
        }
        byte[] bytes = Names.unescape(name.substring(from, to));
        Key key = bytes == null ? null : Key.copyOf(bytes, 0, bytes.length);
        return key == null || mapped.containsKey(key) ? null : key;
    }
}
