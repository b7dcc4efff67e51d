package io.flockgate.gateway.config;

import io.flockgate.gateway.log.Quoting;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Keys that live at prefixes of their own. */
final class ConsulMap {
    static final Rule<List<String>> RULE = new Rule<>("`key=prefix`", ConsulMap::complaint);

    private static final int MOST_KEY_BYTES = 256;
    private static final int REPLACEMENT = 0xFFFD;

    /**
     * One entry. The first equals sign parts it: with the last one, entries that were parted by commas by mistake would
     * quietly make one strange key.
     */
    private record Entry(String key, String prefix) {
        static Optional<Entry> of(String text) {
            int at = text.indexOf('=');
            if (at < 0 || !isKey(text.substring(0, at))) {
                return Optional.empty();
            }
            return ConsulPrefix.canonical(text.substring(at + 1))
                    .map(prefix -> new Entry(text.substring(0, at), prefix));
        }

        private static boolean isKey(String text) {
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            return bytes > 0
                    && bytes <= MOST_KEY_BYTES
                    && text.indexOf(REPLACEMENT) < 0
                    && text.chars().noneMatch(c -> Kind.ENTRY_ENDS.indexOf(c) >= 0);
        }

        @Override
        public String toString() {
            return key + "=" + prefix;
        }
    }

    private ConsulMap() {}

    private static Optional<String> complaint(List<String> texts) {
        return texts.stream()
                .filter(text -> Entry.of(text).isEmpty())
                .findFirst()
                .map(ConsulMap::whatIsWrong)
                .or(() -> clash(entries(texts)));
    }

    private static String whatIsWrong(String text) {
        return text.indexOf(REPLACEMENT) >= 0
                ? "has characters that this locale cannot read; set LANG to one of UTF-8"
                : "must be key=prefix: a key of 1 to 256 bytes without white space and '=', and a prefix of "
                        + ConsulPrefix.WANTED;
    }

    /** Consul's Go client takes all that begins with the name of a prefix for part of it. */
    private static Optional<String> clash(List<Entry> entries) {
        Map<String, Entry> byKey = new LinkedHashMap<>();
        for (Entry entry : entries) {
            for (Entry other : byKey.values()) {
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

    /** All entries as lines of key and prefix. */
    static String lines(List<String> texts, String base) {
        List<Entry> entries = entries(texts);
        for (Entry entry : entries) {
            if (beginsOther(entry.prefix, base)) {
                throw new ConfigException(ConsulSettings.MAP.dashed() + ": " + Quoting.quoted(entry.toString())
                        + " and " + ConsulSettings.PREFIX.dashed() + " " + Quoting.quoted(base)
                        + " overlap: neither may begin the other");
            }
        }
        return entries.stream().map(Entry::toString).collect(Collectors.joining("\n"));
    }

    private static boolean beginsOther(String one, String other) {
        return one.startsWith(other) || other.startsWith(one);
    }

    private static List<Entry> entries(List<String> texts) {
        return texts.stream().map(Entry::of).flatMap(Optional::stream).toList();
    }
}
