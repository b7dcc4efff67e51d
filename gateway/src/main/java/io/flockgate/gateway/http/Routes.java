package io.flockgate.gateway.http;

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

    private final Router router;
    private final Server server;

    /** Runs the handler of a route for the current request of a connection. */
    interface Server {
        void serve(HttpServerRequest request, PathPattern path, AnswerForm form, RequestHandler handler);
    }

    Routes(Router router, Server server) {
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
     */
    public void exactly(List<String> methods, PathPattern path, AnswerForm form, RequestHandler handler) {
        boolean plain = path.isPlain();
        Route route = plain ? router.route(path.text()) : router.routeWithRegex(path.regex());
        methods.forEach(method -> route.method(HttpMethod.valueOf(method)));
        route.useNormalizedPath(false);
        serve(route, context -> {
            // The router also matches a plain path with a trailing slash.
            if (plain && !path.text().equals(context.request().path())) {
                context.next();
            } else {
                server.serve(context.request(), path, form, handler);
            }
        });
    }

    /**
     * Adds a route for a path, however clients join it: with two slashes, dots, or a trailing
     * slash.
     *
     * @param path a path without free segments; a trailing asterisk includes all paths below it
     */
    public void normalized(String path, AnswerForm form, RequestHandler handler) {
        serve(router.route(path), form, handler);
    }

    /** Adds the route for all other requests. */
    public void otherwise(AnswerForm form, RequestHandler handler) {
        serve(router.route(), form, handler);
    }

    private void serve(Route route, AnswerForm form, RequestHandler handler) {
        serve(route, context -> server.serve(context.request(), PathPattern.PLAIN, form, handler));
    }

    /**
     * The router fails a request with an odd {@code Host} before any route, but the handlers have
     * their own answers to it.
     */
    private static void serve(Route route, Handler<RoutingContext> serving) {
        route.handler(serving).failureHandler(context -> {
            if (context.statusCode() == ODD_HOST) {
                serving.handle(context);
            } else {
                context.next();
            }
        });
    }
}
