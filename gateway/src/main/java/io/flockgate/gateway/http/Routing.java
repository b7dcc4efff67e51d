package io.flockgate.gateway.http;

import java.nio.charset.StandardCharsets;
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

    /** Nothing is there. */
    enum Nowhere implements Routing {
        NOWHERE
    }

    private static @Nullable Found find(String path) {
        if (path.length() < 2 || path.endsWith("/")) {
            return null;
        }
        String[] raw = path.substring(1).split("/", -1);
        String[] segments = new String[raw.length];
        for (int i = 0; i < raw.length; i++) {
            byte[] decoded = PercentCoding.decode(raw[i]);
            if (decoded == null || decoded.length == 0) {
                return null;
            }
            segments[i] = new String(decoded, StandardCharsets.ISO_8859_1);
        }
        for (Route route : Route.values()) {
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
