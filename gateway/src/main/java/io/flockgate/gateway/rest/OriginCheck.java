package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHead;
import io.vertx.core.http.HttpHeaders;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules for requests of web pages: detects those that a page of another site has caused
 * (protocol-docs/rest-api.md, "Web pages"), unless CORS allows that site ("CORS"). Immutable.
 *
 * <ol>
 *   <li>Without a token, {@code Host} must name this gateway, so that a page cannot reach it under
 *       the page's own name (DNS rebinding).
 *   <li>A request that may change something, or whose answer costs something, must not come from
 *       another site, unless CORS allows the origin.
 *   <li>An order must not have a content type that an HTML form can send.
 * </ol>
 */
public final class OriginCheck {
    private static final String ANY = "*";
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Set<String> OF_FORMS =
            Set.of("application/x-www-form-urlencoded", "multipart/form-data", "text/plain");

    /** A name or an address in brackets, and perhaps a port. */
    private static final Pattern HOST = Pattern.compile("(\\[[^\\[\\]@/]*]|[^\\[\\]:@/]*)(?::[0-9]*)?");

    /** Load balancers request these under any name. Their answers are not secret. */
    private static final Set<String> OPEN = Set.of("/health", "/ready");

    /** Paths whose answers are not secret and cost nothing. */
    private static final Set<String> CHEAP = Set.of("/health", "/ready", "/v1/openapi.json");

    private static final String ALLOW_ORIGIN = "Access-Control-Allow-Origin";
    private static final CharSequence PREFLIGHT = HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD;
    private static final CharSequence FETCH_SITE = HttpHeaders.createOptimized("Sec-Fetch-Site");
    private static final List<Reply.Header> ALWAYS = List.of(
            new Reply.Header("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS"),
            new Reply.Header("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Dflockd-Session"),
            new Reply.Header("Access-Control-Max-Age", "300"));

    private final boolean checksHost;
    private final Set<String> hosts = new HashSet<>(Set.of("localhost"));
    private final Set<String> origins;

    /** The result of a check. */
    public enum Verdict {
        PASSED,
        /** {@code Host} is not a name of this gateway. */
        OTHER_HOST,
        /** Another site has caused the request. */
        CROSS_SITE
    }

    /**
     * Creates the check of a gateway.
     *
     * @param hasToken whether requests need a token
     * @param boundHost the address on which the gateway listens
     * @param allowedHosts further names; {@code *} for any
     * @param corsOrigins the origins whose pages may use the API; {@code *} for any
     */
    public OriginCheck(boolean hasToken, String boundHost, List<String> allowedHosts, List<String> corsOrigins) {
        this.checksHost = !hasToken && !allowedHosts.contains(ANY);
        this.origins = Set.copyOf(corsOrigins);
        hosts.add(boundHost.toLowerCase(Locale.ROOT));
        allowedHosts.forEach(host -> hosts.add(host.toLowerCase(Locale.ROOT)));
    }

    /**
     * Checks a request.
     *
     * @param localAddress the address at which the client has reached the gateway
     */
    public Verdict check(RequestHead head, String localAddress) {
        String host = head.header(HttpHeaders.HOST);
        if (checksHost && host != null && !OPEN.contains(head.target().path()) && !isOurs(nameOf(host), localAddress)) {
            return Verdict.OTHER_HOST;
        }
        return isHarmless(head) || isOfThisSite(head, host) ? Verdict.PASSED : Verdict.CROSS_SITE;
    }

    private static boolean isHarmless(RequestHead head) {
        return head.method().equals("OPTIONS")
                || (READING.contains(head.method())
                        && CHEAP.contains(head.target().path()));
    }

    /** Whether a form may have sent the request, which a browser sends without a preflight. */
    static boolean isOfForm(RequestHead head) {
        return head.headers().getAll(HttpHeaders.CONTENT_TYPE).stream()
                .map(type -> type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))
                .anyMatch(OF_FORMS::contains);
    }

    private boolean isOurs(String name, String localAddress) {
        if (name.isEmpty()) {
            return false;
        }
        if (hosts.contains(name)) {
            return true;
        }
        try {
            InetAddress literal = InetAddress.ofLiteral(name);
            return literal.isLoopbackAddress() || literal.getHostAddress().equals(localAddress);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * The name or address in a {@code Host}, without port, brackets and trailing dot; empty for
     * anything else.
     */
    private static String nameOf(String host) {
        Matcher parts = HOST.matcher(host);
        if (!parts.matches()) {
            return "";
        }
        String name = parts.group(1).toLowerCase(Locale.ROOT);
        if (name.startsWith("[")) {
            return name.substring(1, name.length() - 1);
        }
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    private boolean isOfThisSite(RequestHead head, @Nullable String host) {
        String origin = head.header(HttpHeaders.ORIGIN);
        String site = head.header(FETCH_SITE);
        if (origin == null && site == null) {
            return true;
        }
        if (head.isRepeated(HttpHeaders.ORIGIN) || head.isRepeated(FETCH_SITE)) {
            return false;
        }
        if (origin != null) {
            boolean same = host != null
                    && (origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host));
            return same || !corsHeaders(origin).isEmpty();
        }
        return "same-origin".equals(site) || "none".equals(site);
    }

    /** Whether a browser asks which methods and headers it may use before it sends its request. */
    boolean isPreflight(RequestHead request) {
        return !origins.isEmpty() && request.method().equals("OPTIONS") && request.header(PREFLIGHT) != null;
    }

    /**
     * The headers of every answer to this request; none without an origin, or with one that is not
     * allowed.
     */
    List<Reply.Header> corsHeaders(RequestHead request) {
        return origins.isEmpty() ? List.of() : corsHeaders(request.header(HttpHeaders.ORIGIN));
    }

    List<Reply.Header> corsHeaders(@Nullable String origin) {
        if (origins.isEmpty() || origin == null || origin.isEmpty()) {
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
