package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The paths of all keys: below the base by their escaped names, or at a prefix that an operator has chosen. Immutable.
 */
public final class KeyPaths {
    private static final String ROSTERS = ".fleetlock/";

    private final String base;
    private final Map<Key, KeyPath> mapped;

    /**
     * @param base the beginning of all names, with a slash at its end
     * @param mapped keys and their prefixes, without slashes at their ends
     */
    public KeyPaths(String base, Map<Key, String> mapped) {
        this.base = base;
        Map<Key, KeyPath> paths = new HashMap<>();
        mapped.forEach((key, prefix) -> paths.put(key, new KeyPath(prefix, true)));
        this.mapped = Map.copyOf(paths);
    }

    /** The name of a gateway's process: the gateway's name and a unique part, escaped for names in Consul. */
    public static String process(String node, String unique) {
        return KeyEscape.escape(Key.of(node)) + "-" + unique;
    }

    /** The name of the gateway that has a process of this name. Another name is its own. */
    public static String nodeOf(String process) {
        int unique = process.lastIndexOf('-');
        Key node = unique < 0 ? null : KeyEscape.unescape(process.substring(0, unique));
        return node == null ? process : node.toString();
    }

    /** The beginning of all rosters' names. No key has it, because an escaped name does not begin with a dot. */
    public static String rosters(String base) {
        return base + ROSTERS;
    }

    /** The name of a group's roster. */
    public static String roster(String base, String group) {
        return rosters(base) + KeyEscape.escape(Key.of(group));
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
        return new KeyPath(base + KeyEscape.escape(key), false);
    }

    /** The keys that do not live below the base. */
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
        Key key = KeyEscape.unescape(name.substring(from, to));
        return key == null || mapped.containsKey(key) ? null : key;
    }
}
