package io.flockgate.gateway.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a method and a target lead to. */
sealed interface Routing {
    /**
     * A route that answers the method.
     *
     * @param segments the free segments, one decoded byte in each character
     */
    record Found(Route route, List<String> segments) implements Routing {
        /** The decoded bytes of the first free segment; empty without one. */
        byte[] segment() {
            return segments.isEmpty() ? new byte[0] : segment(0);
        }

        /** The decoded bytes of one of the free segments. */
        byte[] segment(int number) {
            return segments.get(number).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /** Another writing of a path that exists. */
    record Elsewhere(String location) implements Routing {}

    /** The path exists, with other methods. */
    record WrongMethod(String allow) implements Routing {}

    List<Route> ROUTES = List.of(Route.values());

    /** Nothing is there. */
    enum Nowhere implements Routing {
        NOWHERE
    }

    /** The bytes that a segment stands for, one in each character. */
    private static String decoded(String segment) {
        byte[] bytes = PercentCoding.decode(segment);
        return bytes == null ? "" : new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static @Nullable Found find(String path) {
        if (path.length() < 2 || path.endsWith("/")) {
            return null;
        }
        String[] segments = path.substring(1).split("/", -1);
        if (path.indexOf('%') >= 0) {
            for (int i = 0; i < segments.length; i++) {
                segments[i] = decoded(segments[i]);
            }
        }
        for (Route route : ROUTES) {
            List<String> free = route.match(segments);
            if (free != null) {
                return new Found(route, free);
            }
        }
        return null;
    }

    /** Segments are told apart before they are decoded: an escaped slash belongs to its segment. */
    static Routing of(String method, RequestTarget target) {
        if (target.isUnclean()) {
            RequestTarget clean = target.cleaned();
            return switch (of(method, clean)) {
                case Found ignored -> new Elsewhere(clean.toString());
                case WrongMethod wrong -> wrong;
                case Elsewhere elsewhere -> elsewhere;
                case Nowhere nowhere -> nowhere;
            };
        }
        Found found = find(target.path());
        if (found == null) {
            return Nowhere.NOWHERE;
        }
        return found.route().answers(method)
                ? found
                : new WrongMethod(found.route().allow());
    }
}
