package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules for web pages of other origins (protocol-docs/rest-api.md, "CORS"). Immutable. */
public final class Cors {
    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final String PREFLIGHT = "Access-Control-Request-Method";
    private static final List<Reply.Header> ALWAYS = List.of(
            new Reply.Header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS"),
            new Reply.Header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Dflockd-Session"),
            new Reply.Header("Access-Control-Max-Age", "300"));

    private final Set<String> origins;

    /**
     * @param origins the allowed ones; {@code *} for any; none for no CORS at all
     */
    public Cors(List<String> origins) {
        this.origins = new HashSet<>(origins);
    }

    /** Whether a browser asks which methods and headers it may use before it sends its request. */
    boolean isPreflight(RequestHead request) {
        return !origins.isEmpty() && request.method().equals("OPTIONS") && request.header(PREFLIGHT) != null;
    }

    /**
     * The headers of every answer to this request; none without an origin, or with one that is not
     * allowed.
     */
    List<Reply.Header> headers(RequestHead request) {
        return origins.isEmpty() ? List.of() : headers(request.header("Origin"));
    }

    List<Reply.Header> headers(@Nullable String origin) {
        if (origin == null || origin.isEmpty()) {
            return List.of();
        }
        if (origins.contains("*")) {
            return with(new Reply.Header(ALLOW_ORIGIN, "*"));
        }
        // The text sent back is one of the configured origins.
        return origins.contains(origin)
                ? with(new Reply.Header(ALLOW_ORIGIN, origin), new Reply.Header("Vary", "Origin"))
                : List.of();
    }

    private static List<Reply.Header> with(Reply.Header... first) {
        return Stream.concat(Stream.of(first), ALWAYS.stream()).toList();
    }
}
