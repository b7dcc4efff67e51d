package io.flockgate.gateway.http;

import io.flockgate.gateway.http.Reply.ErrorReplies;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one event loop, found by a router of Vert.x Web. A request goes to the first route
 * that has its path and method. On that event loop only.
 */
public final class Routes {
    /** The label in the metrics of a request that no route carries out. */
    public static final String UNMATCHED = "unmatched";

    private final Router router;

    /** The result of the router. */
    private @Nullable Match found;

    /** Answers the requests of one event loop, at once or later. */
    @FunctionalInterface
    public interface RequestHandler {
        void handle(HttpRequest request, Responder responder);
    }

    /**
     * A route with the handler of its requests.
     *
     * @param label the route in the metrics
     * @param errors the replies to failures of the body, the server and the storage
     */
    record Match(PathPattern path, String label, ErrorReplies errors, RequestHandler handler) {}

    Routes(Router router) {
        this.router = router;
    }

    /** The first route of a request. There is one, because the last route is for all requests. */
    Match of(HttpServerRequest request) {
        found = null;
        router.handle(request);
        return Objects.requireNonNull(found);
    }

    /**
     * Adds a route for a path as clients send it. Keys are bytes, and a proxy may have checked the
     * path, so nothing is decoded or normalised before the match.
     *
     * @param methods the methods that it answers; empty for all
     * @param label the route in the metrics
     * @param errors the replies to failures of the body, the server and the storage
     */
    public void exactly(
            List<String> methods, PathPattern path, String label, ErrorReplies errors, RequestHandler handler) {
        Route route = router.routeWithRegex(path.regex()).useNormalizedPath(false);
        methods.forEach(method -> route.method(HttpMethod.valueOf(method)));
        add(route, new Match(path, label, errors, handler));
    }

    /**
     * Adds a route for a path, however clients join it: with two slashes, dots, or a trailing
     * slash.
     *
     * @param path a path without free segments; a trailing asterisk includes all paths below it
     */
    public void normalized(String path, String label, ErrorReplies errors, RequestHandler handler) {
        add(router.route(path), new Match(PathPattern.PLAIN, label, errors, handler));
    }

    /** Adds the route for all other requests. */
    public void otherwise(ErrorReplies errors, RequestHandler handler) {
        add(router.route(), new Match(PathPattern.PLAIN, UNMATCHED, errors, handler));
    }

    /**
     * The router fails a request with an odd {@code Host} before any route, but the handlers have
     * their own answers to it.
     */
    private void add(Route route, Match match) {
        Handler<RoutingContext> finding = ignored -> found = match;
        route.handler(finding).failureHandler(finding);
    }
}
