package io.flockgate.gateway;

import static io.flockgate.gateway.rest.Route.RouteRight.ANY_TOKEN;
import static io.flockgate.gateway.rest.Route.RouteRight.LOCK_KEY;
import static io.flockgate.gateway.rest.Route.RouteRight.LOCK_SOMETHING;
import static io.flockgate.gateway.rest.Route.RouteRight.OPERATE;
import static io.flockgate.gateway.rest.Route.RouteRight.ORDER;
import static io.flockgate.gateway.rest.Route.RouteRight.PROBE;
import static io.flockgate.gateway.rest.Route.RouteRight.PUBLIC;
import static io.flockgate.gateway.rest.Route.RouteRight.READ_KEY;
import static io.flockgate.gateway.rest.Route.RouteRight.READ_METRICS;
import static io.flockgate.gateway.rest.Route.RouteRight.READ_SOMETHING;

import io.flockgate.gateway.fleetlock.FleetLock.Operation;
import io.flockgate.gateway.fleetlock.http.FleetLockHandler;
import io.flockgate.gateway.fleetlock.http.FleetLockOperations;
import io.flockgate.gateway.http.PathPattern;
import io.flockgate.gateway.http.Routes;
import io.flockgate.gateway.http.Routes.RequestHandler;
import io.flockgate.gateway.page.PageHandler;
import io.flockgate.gateway.rest.EventStreams;
import io.flockgate.gateway.rest.KeyReports;
import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.rest.OperatorRoutes;
import io.flockgate.gateway.rest.Reports;
import io.flockgate.gateway.rest.RequestFilter;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.Route;
import io.flockgate.gateway.rest.Route.RouteRight;
import io.flockgate.gateway.rest.session.SessionOperations;
import io.flockgate.storage.Kind;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All paths of the HTTP port, in the order in which the router tries them. Thread safe.
 */
record HttpRoutes(
        Reports reports,
        KeyReports keys,
        EventStreams streams,
        OperatorRoutes operator,
        SessionOperations sessions,
        FleetLockOperations groups) {
    /** The REST API, with the most frequent requests first. */
    static final List<Endpoint> REST = List.of(
            post("/v1/locks/{key}", "acquireLock", LOCK_KEY, lock(LockOperation.ACQUIRE)),
            post("/v1/locks/{key}/release", "releaseLock", LOCK_KEY, lock(LockOperation.RELEASE)),
            post("/v1/locks/{key}/renew", "renewLock", LOCK_KEY, lock(LockOperation.RENEW)),
            post("/v1/semaphores/{key}", "acquireSem", LOCK_KEY, semaphore(LockOperation.ACQUIRE)),
            post("/v1/semaphores/{key}/release", "releaseSem", LOCK_KEY, semaphore(LockOperation.RELEASE)),
            post("/v1/semaphores/{key}/renew", "renewSem", LOCK_KEY, semaphore(LockOperation.RENEW)),
            post("/v1/sessions/{id}/ping", "pingSession", ANY_TOKEN, routes -> routes.sessions::ping),
            post("/v1/locks/{key}/enqueue", "enqueueLock", LOCK_KEY, lock(LockOperation.ENQUEUE)),
            post("/v1/locks/{key}/wait", "waitLock", LOCK_KEY, lock(LockOperation.WAIT)),
            post("/v1/semaphores/{key}/enqueue", "enqueueSem", LOCK_KEY, semaphore(LockOperation.ENQUEUE)),
            post("/v1/semaphores/{key}/wait", "waitSem", LOCK_KEY, semaphore(LockOperation.WAIT)),
            post("/v1/sessions", "createSession", LOCK_SOMETHING, routes -> routes.sessions::create),
            delete("/v1/sessions/{id}", "deleteSession", ANY_TOKEN, routes -> routes.sessions::delete),
            get("/health", "getHealth", PROBE, routes -> (request, responder) -> responder.reply(RestReplies.OK)),
            get("/ready", "getReady", PROBE, routes -> routes.reports::ready),
            get("/metrics", "getMetrics", READ_METRICS, routes -> routes.reports::metrics),
            get("/v1/openapi.json", "getOpenAPI", PUBLIC, routes -> routes.reports::openApi),
            get("/v1/stats", "getStats", READ_SOMETHING, routes -> routes.keys::stats),
            get("/v1/keys", "listKeys", READ_SOMETHING, routes -> routes.keys::listKeys),
            get("/v1/keys/{key}", "getKey", READ_KEY, routes -> routes.keys::key),
            get("/v1/deadlocks", "listDeadlocks", READ_SOMETHING, routes -> routes.keys::deadlocks),
            get("/v1/gateways", "listGateways", READ_SOMETHING, routes -> routes.reports::gateways),
            get("/v1/events", "streamEvents", READ_SOMETHING, routes -> routes.streams::open),
            delete("/v1/keys/{key}/holders/{fence}", "evictHolder", ORDER, routes -> routes.operator::evict),
            delete("/v1/keys/{key}/queue/{waiter}", "removeWaiter", ORDER, routes -> routes.operator::removeWaiter),
            post("/v1/keys/{key}/limit", "setLimit", ORDER, routes -> routes.operator::setLimit),
            post("/v1/drain", "drain", ORDER, routes -> routes.operator::drain),
            post("/v1/undrain", "undrain", ORDER, routes -> routes.operator::undrain),
            get("/v1/fleetlock/groups", "listGroups", OPERATE, routes -> routes.groups::groups),
            get("/v1/fleetlock/groups/{group}", "getGroup", OPERATE, routes -> routes.groups::group),
            delete("/v1/fleetlock/groups/{group}/holders/{id}", "removeHolder", ORDER, routes -> routes.groups::remove),
            post("/v1/fleetlock/groups/{group}/pause", "pauseGroup", ORDER, routes -> routes.groups::pause),
            post("/v1/fleetlock/groups/{group}/resume", "resumeGroup", ORDER, routes -> routes.groups::resume));

    private static final List<String> ANY_METHOD = List.of();

    /** A route and the handler of its requests. */
    record Endpoint(Route route, Function<HttpRoutes, RequestHandler> handler) {}

    private static Endpoint get(
            String path, String id, RouteRight right, Function<HttpRoutes, RequestHandler> handler) {
        return new Endpoint(new Route("GET", PathPattern.of(path), id, right), handler);
    }

    private static Endpoint post(
            String path, String id, RouteRight right, Function<HttpRoutes, RequestHandler> handler) {
        return new Endpoint(new Route("POST", PathPattern.of(path), id, right), handler);
    }

    private static Endpoint delete(
            String path, String id, RouteRight right, Function<HttpRoutes, RequestHandler> handler) {
        return new Endpoint(new Route("DELETE", PathPattern.of(path), id, right), handler);
    }

    private static Function<HttpRoutes, RequestHandler> lock(LockOperation operation) {
        return routes -> routes.sessions.lock(operation, Kind.LOCK);
    }

    private static Function<HttpRoutes, RequestHandler> semaphore(LockOperation operation) {
        return routes -> routes.sessions.lock(operation, Kind.SEMAPHORE);
    }

    /**
     * Adds the paths to the routes of an event loop.
     *
     * @param page null where the page is not served
     * @param fleetLock null where FleetLock is not served
     * @param prefix a path below which FleetLock is also served; empty for none
     */
    void declare(
            Routes routes,
            RequestFilter filter,
            @Nullable PageHandler page,
            @Nullable FleetLockHandler fleetLock,
            String prefix) {
        for (Endpoint endpoint : REST) {
            Route route = endpoint.route();
            RequestHandler handler = filter.before(route, endpoint.handler().apply(this));
            routes.exactly(route.methods(), route.path(), route.path().text(), RestReplies.ERRORS, handler);
        }
        if (page != null) {
            declarePage(routes, page);
        }
        if (fleetLock != null) {
            declareFleetLock(routes, fleetLock, prefix);
        }
        for (Endpoint endpoint : REST) {
            Route route = endpoint.route();
            routes.exactly(ANY_METHOD, route.path(), Routes.UNMATCHED, RestReplies.ERRORS, filter.wrongMethod(route));
        }
        routes.otherwise(RestReplies.ERRORS, filter.notFound());
    }

    private static void declarePage(Routes routes, PageHandler page) {
        for (String path : PageHandler.PATHS) {
            String label = path.equals("/") ? path : "/ui/{file}";
            routes.exactly(ANY_METHOD, PathPattern.of(path), label, RestReplies.ERRORS, page);
        }
    }

    /**
     * Tolerates two slashes between base and path, and a trailing one, because some clients send
     * them.
     */
    private static void declareFleetLock(Routes routes, FleetLockHandler handler, String prefix) {
        for (Operation operation : Operation.values()) {
            String path = operation.path();
            routes.normalized(path, path, FleetLockHandler.ERRORS, handler.of(operation));
            if (!prefix.isEmpty()) {
                routes.normalized(prefix + path, path, FleetLockHandler.ERRORS, handler.of(operation));
            }
        }
        if (!prefix.isEmpty()) {
            routes.normalized(prefix + "/*", Routes.UNMATCHED, FleetLockHandler.ERRORS, FleetLockHandler::notFound);
        }
    }
}
