package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operations that a token permits (docs/guide/rights.md). A check allocates nothing. Immutable.
 */
public final class Rights {
    /** Every right. */
    public static final Rights ALL = new Rights(KeyPatterns.EVERY, KeyPatterns.EVERY, Set.of(), true, true, true);

    /** No right. */
    public static final Rights NONE = new Rights(KeyPatterns.NONE, KeyPatterns.NONE, Set.of(), false, false, false);

    /** The forms of rights, listed for messages. */
    public static final String FORMS =
            "lock:<key or prefix*>, read, read:<key or prefix*>, metrics, operate," + " fleetlock:<group or *>, all";

    private static final int MAX_SHOWN = 80;

    private final KeyPatterns locks;
    private final KeyPatterns reads;
    private final Set<String> groups;
    private final boolean everyGroup;
    private final boolean metrics;
    private final boolean operate;

    private Rights(
            KeyPatterns locks,
            KeyPatterns reads,
            Set<String> groups,
            boolean everyGroup,
            boolean metrics,
            boolean operate) {
        this.locks = locks;
        this.reads = reads;
        this.groups = Set.copyOf(groups);
        this.everyGroup = everyGroup;
        this.metrics = metrics;
        this.operate = operate;
    }

    /**
     * Parses rights.
     *
     * @throws IllegalArgumentException with a message for an operator, for the first text that is
     *     not a right
     */
    public static Rights of(List<String> texts) {
        List<String> locks = new ArrayList<>();
        List<String> reads = new ArrayList<>();
        Set<String> groups = new HashSet<>();
        Set<String> words = new HashSet<>();
        for (String text : texts) {
            if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                throw new IllegalArgumentException(
                        "the right " + shown(text) + " is no Unicode text: half a surrogate pair");
            }
            int colon = text.indexOf(':');
            String value = text.substring(colon + 1);
            switch (colon < 0 ? text : text.substring(0, colon + 1)) {
                case "lock:" -> locks.add(pattern(text, value));
                case "read:" -> reads.add(pattern(text, value));
                case "fleetlock:" -> groups.add(group(text, value));
                case "read" -> reads.add("*");
                case "all", "metrics", "operate" -> words.add(text);
                default -> throw new IllegalArgumentException(unknown(text));
            }
        }
        if (words.contains("all")) {
            return ALL;
        }
        return new Rights(
                KeyPatterns.of(locks),
                KeyPatterns.of(reads),
                groups,
                groups.contains("*"),
                words.contains("metrics"),
                words.contains("operate"));
    }

    private static String pattern(String right, String value) {
        try {
            KeyPatterns unused = KeyPatterns.of(List.of(value));
            return value;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the right " + shown(right) + " names no keys: " + e.getMessage());
        }
    }

    private static String group(String right, String value) {
        if (!value.equals("*") && !value.matches("[a-zA-Z0-9.-]+")) {
            throw new IllegalArgumentException("the right " + shown(right)
                    + " names no group: a group consists of letters, digits, '.' and '-', or is *");
        }
        return value;
    }

    private static String unknown(String text) {
        return switch (text) {
            case "lock" -> "the right lock needs keys: lock:* for all of them";
            case "fleetlock" -> "the right fleetlock needs a group: fleetlock:* for all of them";
            default ->
                "unknown right " + shown(text)
                        + Suggestion.of(
                                text.substring(0, text.indexOf(':') + 1).isEmpty()
                                        ? text
                                        : text.substring(0, text.indexOf(':') + 1),
                                Stream.of("lock:", "read:", "fleetlock:", "read", "metrics", "operate", "all"))
                        + " (rights are " + FORMS + ")";
        };
    }

    private static String shown(String text) {
        return Quoting.quoted(text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…");
    }

    /** Whether it may take, wait for, renew and release this key. */
    public boolean mayLock(Key key) {
        return locks.matches(key);
    }

    /** Whether there may be a key that it may lock. */
    public boolean mayLockSomething() {
        return !locks.isEmpty();
    }

    /** Whether it may see this key, its holders and its queue. */
    public boolean mayRead(Key key) {
        return reads.matches(key);
    }

    /** Whether there may be a key that it may see. */
    public boolean mayReadSomething() {
        return !reads.isEmpty();
    }

    /** Whether it may see every key. */
    public boolean mayReadEverything() {
        return reads.isEvery();
    }

    /**
     * A prefix of all keys that begin with this one and that it may see; null if there can be none.
     */
    byte @Nullable [] readable(byte[] prefix) {
        return reads.narrowed(prefix);
    }

    public boolean mayReadMetrics() {
        return metrics;
    }

    /** Whether it may carry out the orders of an operator. */
    public boolean mayOperate() {
        return operate;
    }

    /** Whether it may acquire and release slots of this FleetLock group. */
    public boolean mayUseGroup(String group) {
        return everyGroup || groups.contains(group);
    }
}
