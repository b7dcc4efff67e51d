package io.flockgate.storage.consul.config;

import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import io.flockgate.storage.Key;
import io.flockgate.text.Quoting;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The syntax of {@code --consul-map}: keys with their own prefixes. */
final class KeyMap {
    static final Rule<List<String>> RULE = new Rule<>("`key=prefix`", KeyMap::violation);

    private static final int MAX_KEY_BYTES = 256;
    private static final int REPLACEMENT = 0xFFFD;

    /**
     * One entry. It is split at the first equals sign, because with the last one, entries
     * mistakenly separated by commas would silently become one strange key.
     */
    private record Mapping(String key, String prefix) {
        static Optional<Mapping> of(String text) {
            int at = text.indexOf('=');
            if (at < 0 || !isKey(text.substring(0, at))) {
                return Optional.empty();
            }
            return KeyPrefix.canonical(text.substring(at + 1))
                    .map(prefix -> new Mapping(text.substring(0, at), prefix));
        }

        private static boolean isKey(String text) {
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            return bytes > 0
                    && bytes <= MAX_KEY_BYTES
                    && text.indexOf(REPLACEMENT) < 0
                    && text.chars().noneMatch(c -> OptionType.ENTRY_ENDS.indexOf(c) >= 0);
        }

        @Override
        public String toString() {
            return key + "=" + prefix;
        }
    }

    private KeyMap() {}

    private static Optional<String> violation(List<String> texts) {
        return texts.stream()
                .filter(text -> Mapping.of(text).isEmpty())
                .findFirst()
                .map(KeyMap::whatIsWrong)
                .or(() -> clash(entries(texts)));
    }

    private static String whatIsWrong(String text) {
        return text.indexOf(REPLACEMENT) >= 0
                ? "has characters that this locale cannot read; set LANG to one of UTF-8"
                : "must be key=prefix: a key of 1 to 256 bytes without white space and '=', and a prefix of "
                        + KeyPrefix.WANTED;
    }

    /** Consul's Go client treats everything that begins with the name of a prefix as part of it. */
    private static Optional<String> clash(List<Mapping> entries) {
        Map<String, Mapping> byKey = new LinkedHashMap<>();
        for (Mapping entry : entries) {
            for (Mapping other : byKey.values()) {
                if (beginsOther(entry.prefix, other.prefix)) {
                    return Optional.of(
                            "must not give two keys prefixes that are the same or of which one begins the other: "
                                    + Quoting.quoted(other.toString()));
                }
            }
            if (byKey.put(entry.key, entry) != null) {
                return Optional.of("must not map one key twice");
            }
        }
        return Optional.empty();
    }

    /** A message about the first entry that overlaps the base; empty when none does. */
    static Optional<String> overlap(List<String> texts, String base) {
        return entries(texts).stream()
                .filter(entry -> beginsOther(entry.prefix, base))
                .findFirst()
                .map(entry -> OptionTable.MAP.dashed() + ": " + Quoting.quoted(entry.toString()) + " and "
                        + OptionTable.PREFIX.dashed() + " " + Quoting.quoted(base)
                        + " overlap: neither may begin the other");
    }

    /** The prefixes by their keys. */
    static Map<Key, String> of(List<String> texts) {
        return entries(texts).stream()
                .collect(Collectors.toUnmodifiableMap(entry -> Key.of(entry.key), Mapping::prefix));
    }

    private static boolean beginsOther(String one, String other) {
        return one.startsWith(other) || other.startsWith(one);
    }

    private static List<Mapping> entries(List<String> texts) {
        return texts.stream().map(Mapping::of).flatMap(Optional::stream).toList();
    }

    /**
     * The syntax of paths in Consul's KV store that no agent or client changes. Newer agents clean
     * paths and refuse {@code ..}. Go clients join paths, so an empty part would lead two clients
     * to different keys. No part begins with a dot, because entries of a key have such names.
     */
    static final class KeyPrefix {
        static final int MAX_CHARACTERS = 512;

        static final String WANTED =
                "names of letters, digits, '_', '~', '-' and inner dots, separated by single slashes";

        static final Rule<String> RULE = Rule.of(
                "names of letters, digits, `_`, `~`, `-` and inner dots, separated by single slashes",
                "must be " + WANTED + ", none leading, at most " + MAX_CHARACTERS + " characters",
                text -> canonical(text).isPresent());

        private static final String NAME = "[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*";

        private static final Pattern PATH = Pattern.compile(NAME + "(?:/" + NAME + ")*");

        private KeyPrefix() {}

        /** The path without the slash at its end; empty when the text is not such a path. */
        static Optional<String> canonical(String text) {
            String path = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
            boolean wellFormed =
                    path.length() <= MAX_CHARACTERS && PATH.matcher(path).matches();
            return wellFormed ? Optional.of(path) : Optional.empty();
        }

        /** The prefix of the names of all keys, with a slash at its end. */
        static String base(String prefix) {
            return canonical(prefix).orElseThrow() + "/";
        }
    }
}
