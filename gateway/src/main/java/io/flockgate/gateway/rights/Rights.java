package io.flockgate.gateway.rights;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.text.Quoting;
import io.flockgate.text.Suggestion;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operations that a token permits (docs/guide/rights.md). A check allocates nothing. Immutable.
 */
public final class Rights {
    /** Every right. */
    public static final Rights ALL = of(List.of("lock:*", "read", "fleetlock:*", "metrics", "operate"));

    /** No right. */
    public static final Rights NONE = of(List.of());

    /** The forms of rights, listed for messages. */
    public static final String FORMS =
            "lock:<key or prefix*>, read, read:<key or prefix*>, metrics, operate, fleetlock:<group or *>, all";

    private static final int MAX_SHOWN = 80;

    private final KeyPattern[] locks;
    private final KeyPattern[] reads;
    private final Set<String> groups;
    private final boolean metrics;
    private final boolean operate;

    /**
     * A key, or a prefix of keys, which is written with a {@code *} at its end.
     *
     * @param exact whether the bytes are a whole key
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record KeyPattern(byte[] bytes, boolean exact) {
        /**
         * @throws IllegalArgumentException for a text that is not a pattern
         */
        static KeyPattern of(String text) {
            boolean exact = !text.endsWith("*");
            String name = exact ? text : text.substring(0, text.length() - 1);
            if (name.indexOf('*') >= 0) {
                throw new IllegalArgumentException("a * may only be the last character");
            }
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if ((bytes.length > 0 || exact) && Key.copyOf(bytes, 0, bytes.length) == null) {
                throw new IllegalArgumentException("a key has 1 to 256 bytes, none of them space, TAB, LF or CR");
            }
            return new KeyPattern(bytes, exact);
        }

        boolean matches(Key key) {
            return key.startsWith(bytes) && (!exact || key.length() == bytes.length);
        }

        boolean isEvery() {
            return bytes.length == 0 && !exact;
        }

        /** Whether every key that it matches begins with these bytes. */
        boolean isWithin(byte[] prefix) {
            return begins(prefix, bytes);
        }

        /** Whether it matches every key that begins with these bytes. */
        boolean covers(byte[] prefix) {
            return !exact && begins(bytes, prefix);
        }

        private static boolean begins(byte[] with, byte[] bytes) {
            return bytes.length >= with.length && Arrays.equals(with, 0, with.length, bytes, 0, with.length);
        }
    }

    private Rights(List<KeyPattern> locks, List<KeyPattern> reads, Set<String> groups, Set<String> words) {
        this.locks = locks.toArray(KeyPattern[]::new);
        this.reads = reads.toArray(KeyPattern[]::new);
        this.groups = groups;
        this.metrics = words.contains("metrics");
        this.operate = words.contains("operate");
    }

    /**
     * Parses rights.
     *
     * @throws IllegalArgumentException with a message for an operator, for the first text that is
     *     not a right
     */
    public static Rights of(List<String> texts) {
        List<KeyPattern> locks = new ArrayList<>();
        List<KeyPattern> reads = new ArrayList<>();
        Set<String> groups = new HashSet<>();
        Set<String> words = new HashSet<>();
        for (String text : texts) {
            if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
                throw new IllegalArgumentException(
                        "the right " + shown(text) + " is no Unicode text: half a surrogate pair");
            }
            String value = text.substring(kind(text).length());
            switch (kind(text).isEmpty() ? text : kind(text)) {
                case "lock:" -> locks.add(keys(text, value));
                case "read:" -> reads.add(keys(text, value));
                case "fleetlock:" -> groups.add(group(text, value));
                case "read" -> reads.add(KeyPattern.of("*"));
                case "all", "metrics", "operate" -> words.add(text);
                default -> throw new IllegalArgumentException(unknown(text));
            }
        }
        return words.contains("all") ? ALL : new Rights(locks, reads, groups, words);
    }

    /** The text up to its colon; empty without one. */
    private static String kind(String text) {
        return text.substring(0, text.indexOf(':') + 1);
    }

    private static KeyPattern keys(String right, String value) {
        try {
            return KeyPattern.of(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the right " + shown(right) + " names no keys: " + e.getMessage());
        }
    }

    private static String group(String right, String value) {
        if (!value.matches("\\*|[a-zA-Z0-9.-]+")) {
            throw new IllegalArgumentException("the right " + shown(right)
                    + " names no group: a group consists of letters, digits, '.' and '-', or is *");
        }
        return value;
    }

    private static String unknown(String text) {
        return switch (text) {
            case "lock" -> "the right lock needs keys: lock:* for all of them";
            case "fleetlock" -> "the right fleetlock needs a group: fleetlock:* for all of them";
            default -> {
                Stream<String> known = Stream.of("lock:", "read:", "fleetlock:", "read", "metrics", "operate", "all");
                String suggestion = Suggestion.of(kind(text).isEmpty() ? text : kind(text), known);
                yield "unknown right " + shown(text) + suggestion + " (rights are " + FORMS + ")";
            }
        };
    }

    private static String shown(String text) {
        return Quoting.quoted(text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…");
    }

    private static boolean anyMatches(KeyPattern[] patterns, Key key) {
        for (KeyPattern pattern : patterns) {
            if (pattern.matches(key)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it may take, wait for, renew and release this key. */
    public boolean mayLock(Key key) {
        return anyMatches(locks, key);
    }

    /** Whether there may be a key that it may lock. */
    public boolean mayLockSomething() {
        return locks.length > 0;
    }

    /** Whether it may see this key, its holders and its queue. */
    public boolean mayRead(Key key) {
        return anyMatches(reads, key);
    }

    /** Whether there may be a key that it may see. */
    public boolean mayReadSomething() {
        return reads.length > 0;
    }

    /** Whether it may see every key. */
    public boolean mayReadEverything() {
        return Arrays.stream(reads).anyMatch(KeyPattern::isEvery);
    }

    /**
     * A prefix of all keys that begin with this one and that it may see; null if there can be none.
     */
    byte @Nullable [] readable(byte[] prefix) {
        byte[] narrowest = null;
        for (KeyPattern pattern : reads) {
            if (pattern.isWithin(prefix)) {
                narrowest = narrowest == null ? pattern.bytes() : prefix;
            } else if (pattern.covers(prefix)) {
                return prefix;
            }
        }
        return narrowest;
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
        return groups.contains("*") || groups.contains(group);
    }

    /**
     * Answers queries as a storage does, without the keys that the token must not see; {@link
     * KeyPage#next()} may be such a key.
     *
     * @param keys returns the pages of keys
     */
    public Future<KeyPage> inspect(Function<KeyQuery, Future<KeyPage>> keys, KeyQuery query) {
        byte[] prefix = readable(query.prefix());
        if (prefix == null) {
            return Future.succeededFuture(new KeyPage(List.of(), null));
        }
        KeyQuery narrowed = new KeyQuery(prefix, query.after(), query.limit(), query.filter(), query.clients());
        return keys.apply(narrowed).map(this::readable);
    }

    private KeyPage readable(KeyPage page) {
        return new KeyPage(
                page.keys().stream().filter(key -> mayRead(key.key())).toList(),
                page.details().stream()
                        .filter(detail -> mayRead(detail.summary().key()))
                        .toList(),
                page.next());
    }
}
