package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.PercentCoding;
import io.flockgate.gateway.http.RequestTarget;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of searching the routes for a method and a target. */
public sealed interface Routing {
    /**
     * A route that answers the method.
     *
     * @param segments the free segments, one decoded byte in each character
     */
    record Found(Route route, List<String> segments) implements Routing {
        /** The decoded bytes of the first free segment; empty without one. */
        public byte[] segment() {
            return segments.isEmpty() ? new byte[0] : segment(0);
        }

        /** The bytes of the key, group or other thing that the path names. */
        byte[] object() {
            return segment();
        }

        /** The decoded bytes of one of the free segments. */
        public byte[] segment(int number) {
            return segments.get(number).getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * The path has empty segments or segments of dots. Without them, at this location, it has a
     * route.
     */
    record Redirect(String location) implements Routing {}

    /** The path exists, but not with this method. */
    record WrongMethod(String allow) implements Routing {}

    List<Route> ROUTES = List.of(Route.values());

    /** No route has this path. */
    enum NotFound implements Routing {
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

    /**
     * Searches the routes. Segments are separated before they are decoded, so an escaped slash
     * belongs to its segment.
     */
    static Routing of(String method, RequestTarget target) {
        if (target.isUnclean()) {
            RequestTarget clean = target.cleaned();
            return switch (of(method, clean)) {
                case Found ignored -> new Redirect(clean.toString());
                case WrongMethod wrong -> wrong;
                case Redirect redirect -> redirect;
                case NotFound nowhere -> nowhere;
            };
        }
        Found found = find(target.path());
        if (found == null) {
            return NotFound.NOWHERE;
        }
        return found.route().answers(method)
                ? found
                : new WrongMethod(found.route().allow());
    }
}
