package io.flockgate.gateway.http;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A path with a name in braces for each free segment, such as {@code /v1/locks/{key}}. Immutable.
 *
 * @param text the whole pattern
 * @param names the name of each free segment, and an empty text for every other segment
 */
public record PathPattern(String text, List<String> names) {
    /** A segment that is not empty and does not consist of one or two dots. */
    private static final String FREE = "(?!\\.\\.?(?:/|$))[^/]++";

    /** A pattern without free segments. */
    static final PathPattern PLAIN = of("/");

    public static PathPattern of(String text) {
        return new PathPattern(
                text, segments(text).stream().map(PathPattern::name).toList());
    }

    private static List<String> segments(String text) {
        return Arrays.asList(text.substring(1).split("/", -1));
    }

    private static String name(String segment) {
        return segment.startsWith("{") ? segment.substring(1, segment.length() - 1) : "";
    }

    /**
     * A regular expression for the paths of this pattern as they are sent. It has no groups,
     * because the router would decode them as UTF-8.
     */
    String regex() {
        return segments(text).stream()
                .map(segment -> name(segment).isEmpty() ? Pattern.quote(segment) : FREE)
                .collect(Collectors.joining("/", "/", ""));
    }

    /** The decoded bytes of the free segments of a path that matches, by name and in order. */
    Map<String, byte[]> cut(String path) {
        Map<String, byte[]> free = Map.of();
        int begin = 1;
        for (String name : names) {
            int end = path.indexOf('/', begin);
            if (!name.isEmpty()) {
                String segment = end < 0 ? path.substring(begin) : path.substring(begin, end);
                byte[] bytes = Objects.requireNonNull(RequestTarget.decode(segment), "checked before");
                free = free.isEmpty() ? Map.of(name, bytes) : with(free, name, bytes);
            }
            begin = end + 1;
        }
        return free;
    }

    private static Map<String, byte[]> with(Map<String, byte[]> free, String name, byte[] bytes) {
        Map<String, byte[]> more = new LinkedHashMap<>(free);
        more.put(name, bytes);
        return more;
    }
}
