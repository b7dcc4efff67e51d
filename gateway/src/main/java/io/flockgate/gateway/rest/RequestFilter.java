package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.PercentCoding;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.RequestHandler;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Principal;
import io.flockgate.gateway.rights.Rights;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks each request before it is carried out, in this order (protocol-docs/rest-api.md, "Order of
 * checks"):
 *
 * <ol>
 *   <li>a CORS preflight is answered;
 *   <li>requests under another host's name, and those that a web page of another site has caused,
 *       are refused;
 *   <li>the rate limit of the client's address;
 *   <li>authentication;
 *   <li>the route;
 *   <li>the right that the route needs.
 * </ol>
 *
 * On one event loop.
 */
public final class RequestFilter implements RequestHandler {
    private static final Set<String> UNLIMITED = Set.of("/health", "/ready");
    private static final Set<String> OPEN = Set.of("/health", "/ready", "/v1/openapi.json");

    /** Who asks for an open path: no token is looked at. */
    private static final Principal NOBODY = new Principal("", Rights.NONE);

    private final Cors cors;
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final Authenticator authenticator;
    private final FailureReplies failures;
    private final RouteHandler routes;

    /**
     * @param routes carries out what has passed the checks
     */
    public RequestFilter(
            Cors cors,
            OriginCheck origins,
            RateLimiter limiter,
            Authenticator authenticator,
            FailureReplies failures,
            RouteHandler routes) {
        this.cors = cors;
        this.origins = origins;
        this.limiter = limiter;
        this.authenticator = authenticator;
        this.failures = failures;
        this.routes = routes;
    }

    @Override
    public void handle(HttpExchange exchange, RequestHead head) {
        exchange.corsHeaders(cors.headers(head));
        if (cors.isPreflight(head)) {
            exchange.uncounted();
            exchange.reply(Reply.NO_CONTENT);
            return;
        }
        Routing routing = Routing.of(head.method(), head.target());
        if (routing instanceof Routing.Found found) {
            exchange.pattern(found.route().pattern());
        }
        switch (origins.check(head, exchange::localAddress)) {
            case OTHER_HOST -> failures.refuse(exchange, "other_host", RestReplies.OTHER_HOST);
            case CROSS_SITE -> failures.refuse(exchange, "cross_site", RestReplies.CROSS_SITE);
            case PASSED -> {
                if (routing instanceof Routing.Found found && found.route().isOrder() && OriginCheck.isOfForm(head)) {
                    failures.refuse(exchange, "cross_site", RestReplies.OF_FORM);
                } else {
                    check(exchange, head, routing);
                }
            }
        }
    }

    private void check(HttpExchange exchange, RequestHead head, Routing routing) {
        String path = decoded(head.target().path());
        if (!UNLIMITED.contains(path)
                && !limiter.admits(exchange.address(), exchange.loop().now())) {
            failures.refuse(exchange, "rate_limited", RestReplies.RATE_LIMITED);
            return;
        }
        @Nullable
        Principal principal =
                OPEN.contains(path) ? NOBODY : Authorization.bearer(head, exchange.certificate(), authenticator);
        if (principal == null) {
            failures.refuseToken(
                    exchange, Authorization.isBasic(head) ? RestReplies.BASIC_UNAUTHORIZED : RestReplies.UNAUTHORIZED);
        } else {
            exchange.principal(principal);
            route(exchange, head, routing);
        }
    }

    private void route(HttpExchange exchange, RequestHead head, Routing routing) {
        switch (routing) {
            case Routing.Found found -> {
                if (RouteRights.allow(exchange.principal().rights(), found)) {
                    routes.handle(exchange, head, found);
                } else {
                    failures.refuseRight(exchange, found);
                }
            }
            case Routing.Redirect redirect -> exchange.reply(RestReplies.redirect(redirect.location()));
            case Routing.WrongMethod wrong -> exchange.reply(RestReplies.methodNotAllowed(wrong.allow()));
            case Routing.NotFound ignored -> exchange.reply(RestReplies.NOT_FOUND);
        }
    }

    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        byte[] bytes = PercentCoding.decode(path);
        return bytes == null ? path : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
