package io.flockgate.gateway.http;

import io.flockgate.gateway.http.Reply.ErrorReplies;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/**
 * The routes of one event loop, in a router of Vert.x Web. A request goes to the first route that
 * has its path and method. On that event loop only.
 */
public final class Routes {
    private static final int ODD_HOST = 400;

    /** The label in the metrics of a request that no route carries out. */
    public static final String UNMATCHED = "unmatched";

    private final Router router;
    private final HttpLoop server;

    /** Answers the requests of one event loop, at once or later. */
    @FunctionalInterface
    public interface RequestHandler {
        void handle(HttpRequest request, Responder responder);
    }

    Routes(Router router, HttpLoop server) {
        this.router = router;
        this.server = server;
    }

    void handle(HttpServerRequest request) {
        router.handle(request);
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
        serve(route, path, label, errors, handler);
    }

    /**
     * Adds a route for a path, however clients join it: with two slashes, dots, or a trailing
     * slash.
     *
     * @param path a path without free segments; a trailing asterisk includes all paths below it
     */
    public void normalized(String path, String label, ErrorReplies errors, RequestHandler handler) {
        serve(router.route(path), PathPattern.PLAIN, label, errors, handler);
    }

    /** Adds the route for all other requests. */
    public void otherwise(ErrorReplies errors, RequestHandler handler) {
        serve(router.route(), PathPattern.PLAIN, UNMATCHED, errors, handler);
    }

    /**
     * The router fails a request with an odd {@code Host} before any route, but the handlers have
     * their own answers to it.
     */
    private void serve(Route route, PathPattern path, String label, ErrorReplies errors, RequestHandler handler) {
        RequestHandler labelled = (request, responder) -> {
            responder.route(label, errors);
            handler.handle(request, responder);
        };
        Handler<RoutingContext> serving = context -> server.serve(context.request(), path, labelled);
        route.handler(serving).failureHandler(context -> {
            if (context.statusCode() == ODD_HOST) {
                serving.handle(context);
            } else {
                context.next();
            }
        });
    }
}
