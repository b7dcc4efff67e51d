package io.flockgate.storage.consul.layout;

import io.flockgate.storage.Key;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The paths of all keys: below the base by their escaped names, or at a prefix that an operator has chosen. The form of the names is
 * decided once, when the gateway first reads the record of its cluster. Thread safe.
 */
public final class KeyPaths {
    private static final String ROSTERS = ".fleetlock/";

    private final String base;
    private final Map<Key, KeyPath> mapped;
    private volatile @Nullable NameForm form;

    /**
     * Makes the paths for names whose form is not decided yet.
     *
     * @param base the beginning of all names, with a slash at its end
     * @param mapped keys and their prefixes, without slashes at their ends
     */
    public KeyPaths(String base, Map<Key, String> mapped) {
        this(base, mapped, null);
    }

    public KeyPaths(String base, Map<Key, String> mapped, @Nullable NameForm form) {
        this.base = base;
        this.form = form;
        Map<Key, KeyPath> paths = new HashMap<>();
        mapped.forEach((key, prefix) -> paths.put(key, new KeyPath(prefix, true)));
        this.mapped = Map.copyOf(paths);
    }

    /** The name of a gateway's process: the gateway's name and a unique part, escaped for names in Consul. */
    public static String process(String node, String unique) {
        return KeyEscape.escape(Key.of(node), NameForm.COMMA) + "-" + unique;
    }

    /** The name of the gateway that has a process of this name. Another name is its own. */
    public static String nodeOf(String process) {
        int unique = process.lastIndexOf('-');
        Key node = unique < 0 ? null : KeyEscape.unescape(process.substring(0, unique), NameForm.COMMA);
        return node == null ? process : node.toString();
    }

    /** The beginning of all rosters' names. No key has it, because an escaped name does not begin with a dot. */
    public static String rosters(String base) {
        return base + ROSTERS;
    }

    /** The name of a group's roster. Its form never changes, because the roster lasts. */
    public static String roster(String base, String group) {
        return rosters(base) + KeyEscape.escape(Key.of(group), NameForm.TILDE);
    }

    public String base() {
        return base;
    }

    /** The form of the names; null until it is decided. */
    public @Nullable NameForm form() {
        return form;
    }

    /** Decides the form of the names. False when another form was decided before. */
    public synchronized boolean decide(NameForm wanted) {
        if (form == null) {
            form = wanted;
        }
        return form == wanted;
    }

    /** Whether the path of the key is known. */
    public boolean knows(Key key) {
        return form != null || mapped.containsKey(key) || KeyEscape.isPlain(key);
    }

    /** The path of a key, which must be known. */
    public KeyPath of(Key key) {
        KeyPath path = mapped.get(key);
        if (path != null) {
            return path;
        }
        if (!knows(key)) {
            throw new IllegalStateException("the form of names is not decided yet");
        }
        return new KeyPath(base + KeyEscape.escape(key, decoding()), false);
    }

    /** The form in which names are read. Before the decision only names without an escape are keys, whatever the form. */
    private NameForm decoding() {
        NameForm decided = form;
        return decided == null ? NameForm.COMMA : decided;
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
        Key key = KeyEscape.unescape(name.substring(from, to), decoding());
        return key == null || mapped.containsKey(key) || !knows(key) ? null : key;
    }

    /**
     * The path below the base to which a name of this form belongs, if the key has another name in other forms; null otherwise. A
     * mapped key has such a path too: it may have lived there.
     */
    public static @Nullable KeyPath pathIn(NameForm form, String base, String name) {
        int to = name.indexOf('/', base.length());
        if (!name.startsWith(base) || to < 0) {
            return null;
        }
        Key key = KeyEscape.unescape(name.substring(base.length(), to), form);
        return key == null || KeyEscape.isPlain(key) ? null : new KeyPath(name.substring(0, to), false);
    }
}
