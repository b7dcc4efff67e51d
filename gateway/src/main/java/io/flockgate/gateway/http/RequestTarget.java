package io.flockgate.gateway.http;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a request line as the client has sent it: not decoded, with one character for each
 * byte.
 *
 * @param path begins with a slash
 * @param query the text after the question mark; null without one
 */
public record RequestTarget(String path, @Nullable String query) {
    private static final char DELETE = 0x7f;

    /**
     * The target of a request line; null if it is malformed, such as with a percent sign without
     * two hex digits.
     */
    public static @Nullable RequestTarget parse(String target) {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c == DELETE) {
                return null;
            }
        }
        String origin = target.startsWith("/") ? target : withoutHost(target);
        if (!origin.startsWith("/")) {
            return null;
        }
        int question = origin.indexOf('?');
        String path = question < 0 ? origin : origin.substring(0, question);
        if (path.indexOf('%') >= 0 && decode(path) == null) {
            return null;
        }
        return new RequestTarget(path, question < 0 ? null : origin.substring(question + 1));
    }

    /**
     * The bytes that a part of a target stands for; null when a percent sign is not followed by two
     * hex digits. A plus sign stands for itself.
     */
    public static byte @Nullable [] decode(String text) {
        byte[] bytes = new byte[text.length()];
        int count = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '%') {
                bytes[count++] = (byte) c;
                continue;
            }
            int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
            int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
            if (high < 0 || low < 0 || text.charAt(i + 1) > 'f' || text.charAt(i + 2) > 'f') {
                return null;
            }
            bytes[count++] = (byte) (high << 4 | low);
            i += 2;
        }
        return count == bytes.length ? bytes : Arrays.copyOf(bytes, count);
    }

    /** Cuts off scheme and host, which clients send to proxies. */
    private static String withoutHost(String target) {
        String authority = authority(target);
        if (authority == null) {
            return target;
        }
        String rest = target.substring(target.indexOf("//") + 2 + authority.length());
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    /** The host and the port in a target of a request line; null when it begins with a path. */
    static @Nullable String authority(String target) {
        String start = target.substring(0, Math.min(8, target.length())).toLowerCase(Locale.ROOT);
        if (!start.startsWith("http://") && !start.startsWith("https://")) {
            return null;
        }
        int begin = target.indexOf("//") + 2;
        for (int i = begin; i < target.length(); i++) {
            if (target.charAt(i) == '/' || target.charAt(i) == '?') {
                return target.substring(begin, i);
            }
        }
        return target.substring(begin);
    }

    /** Whether the path has empty segments before its end, or segments of one or two dots. */
    public boolean isUnclean() {
        return path.contains("//")
                || (path.contains("/.")
                        && (path.contains("/./")
                                || path.contains("/../")
                                || path.endsWith("/.")
                                || path.endsWith("/..")));
    }

    /**
     * The same target without empty segments and segments of dots. A trailing slash stays. Escaped
     * dots are ordinary names. Backslashes are escaped, because a browser would treat one as a
     * slash, and two of them at the beginning as another host.
     */
    public RequestTarget cleaned() {
        Deque<String> segments = new ArrayDeque<>();
        for (String segment : path.split("/", -1)) {
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.add(segment);
            }
        }
        String clean = ("/" + String.join("/", segments)).replace("\\", "%5C");
        boolean directory = path.endsWith("/") && !segments.isEmpty();
        return new RequestTarget(directory ? clean + "/" : clean, query);
    }

    @Override
    public String toString() {
        return query == null ? path : path + "?" + query;
    }
}
