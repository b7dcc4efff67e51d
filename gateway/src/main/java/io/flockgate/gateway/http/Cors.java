package io.flockgate.gateway.http;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which pages of a browser may use the API (REST API, "CORS"). Immutable. */
final class Cors {
    private static final String PREFLIGHT = "Access-Control-Request-Method";
    private static final String ALWAYS = "Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r\n"
            + "Access-Control-Allow-Headers: Authorization, Content-Type, X-Dflockd-Session\r\n"
            + "Access-Control-Max-Age: 300\r\n";

    private final Set<String> origins;

    /** @param origins allowed; {@code *} for any; empty for no CORS at all */
    Cors(List<String> origins) {
        this.origins = new HashSet<>(origins);
    }

    /** Whether the browser only asks what it may do. */
    boolean isPreflight(RequestHead request) {
        return !origins.isEmpty() && request.method().equals("OPTIONS") && request.header(PREFLIGHT) != null;
    }

    /** The header lines for this request; empty when it comes from no origin, or from one that is not allowed. */
    String headers(RequestHead request) {
        return origins.isEmpty() ? "" : headers(request.header("Origin"));
    }

    String headers(@Nullable String origin) {
        if (origin == null || origin.isEmpty()) {
            return "";
        }
        if (origins.contains("*")) {
            return "Access-Control-Allow-Origin: *\r\n" + ALWAYS;
        }
        // What is echoed is one of our own settings.
        return origins.contains(origin)
                ? "Access-Control-Allow-Origin: " + origin + "\r\nVary: Origin\r\n" + ALWAYS
                : "";
    }
}
