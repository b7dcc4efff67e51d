package io.flockgate.gateway.http;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which pages of a browser may use the API (REST API, "CORS"). Immutable. */
final class Cors {
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String PREFLIGHT = "Access-Control-Request-Method";
    private static final List<Reply.Header> ALWAYS = List.of(
            new Reply.Header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS"),
            new Reply.Header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Dflockd-Session"),
            new Reply.Header("Access-Control-Max-Age", "300"));

    private final Set<String> origins;

    /** @param origins allowed; {@code *} for any; empty for no CORS at all */
    Cors(List<String> origins) {
        this.origins = new HashSet<>(origins);
    }

    /** Whether the browser only asks what it may do. */
    boolean isPreflight(RequestHead request) {
        return !origins.isEmpty() && request.method().equals("OPTIONS") && request.header(PREFLIGHT) != null;
    }

    /** The headers for this request; empty when it comes from no origin, or from one that is not allowed. */
    List<Reply.Header> headers(RequestHead request) {
        return origins.isEmpty() ? List.of() : headers(request.header("Origin"));
    }

    List<Reply.Header> headers(@Nullable String origin) {
        if (origin == null || origin.isEmpty()) {
            return List.of();
        }
        if (origins.contains("*")) {
            return before(ALWAYS, new Reply.Header(ALLOW_ORIGIN, "*"));
        }
        // What is echoed is one of our own settings.
        return origins.contains(origin)
                ? before(ALWAYS, new Reply.Header(ALLOW_ORIGIN, origin), new Reply.Header("Vary", "Origin"))
                : List.of();
    }

    private static List<Reply.Header> before(List<Reply.Header> last, Reply.Header... first) {
        List<Reply.Header> all = new ArrayList<>(List.of(first));
        all.addAll(last);
        return all;
    }
}
