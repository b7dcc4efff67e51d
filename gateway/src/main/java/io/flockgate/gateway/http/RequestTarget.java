package io.flockgate.gateway.http;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a request line asks for, as it was sent: nothing is decoded. Characters stand for one byte each.
 *
 * @param path begins with a slash
 * @param query what follows the question mark, which is not part of it; null without one
 */
record RequestTarget(String path, @Nullable String query) {
    private static final char DELETE = 0x7f;

    /** The target of a request line; null when it is malformed, a percent sign without two hex digits included. */
    static @Nullable RequestTarget parse(String target) {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c == DELETE) {
                return null;
            }
        }
        String origin = withoutHost(target);
        if (!origin.startsWith("/")) {
            return null;
        }
        int question = origin.indexOf('?');
        String path = question < 0 ? origin : origin.substring(0, question);
        if (path.indexOf('%') >= 0 && PercentCoding.decode(path) == null) {
            return null;
        }
        return new RequestTarget(path, question < 0 ? null : origin.substring(question + 1));
    }

    /** The form for proxies names scheme and host first. */
    private static String withoutHost(String target) {
        if (target.startsWith("/")) {
            return target;
        }
        String start = target.substring(0, Math.min(8, target.length())).toLowerCase(Locale.ROOT);
        if (!start.startsWith("http://") && !start.startsWith("https://")) {
            return target;
        }
        int end = target.length();
        for (int i = target.indexOf("//") + 2; i < target.length(); i++) {
            if (target.charAt(i) == '/' || target.charAt(i) == '?') {
                end = i;
                break;
            }
        }
        String rest = target.substring(end);
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    /** Whether the path has empty segments or such that stand for the same or the upper place. */
    boolean isUnclean() {
        return path.contains("//")
                || (path.contains("/.")
                        && (path.contains("/./")
                                || path.contains("/../")
                                || path.endsWith("/.")
                                || path.endsWith("/..")));
    }

    /** The same place without such segments; a slash at the end stays. Escaped dots are names like others. */
    RequestTarget cleaned() {
        Deque<String> segments = new ArrayDeque<>();
        for (String segment : path.split("/", -1)) {
            if (segment.equals("..")) {
                segments.pollLast();
            } else if (!segment.isEmpty() && !segment.equals(".")) {
                segments.add(segment);
            }
        }
        String clean = "/" + String.join("/", segments);
        boolean directory = path.endsWith("/") && !segments.isEmpty();
        return new RequestTarget(directory ? clean + "/" : clean, query);
    }

    @Override
    public String toString() {
        return query == null ? path : path + "?" + query;
    }
}
