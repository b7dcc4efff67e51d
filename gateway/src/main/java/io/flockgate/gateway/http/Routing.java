package io.flockgate.gateway.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a method and a target lead to. */
sealed interface Routing {
    /**
     * A route that answers the method.
     *
     * @param segment the decoded bytes of the free segment; empty without one
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Found(Route route, byte[] segment) implements Routing {}

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
            String free = route.match(segments);
            if (free != null) {
                return new Found(route, free.getBytes(StandardCharsets.ISO_8859_1));
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
