package io.flockgate.gateway;

import io.flockgate.gateway.fleetlock.http.FleetLockOperations;
import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.rest.LockOperation;
import io.flockgate.gateway.rest.OperatorRoutes;
import io.flockgate.gateway.rest.Reports;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.RouteHandler;
import io.flockgate.gateway.rest.Routing;
import io.flockgate.gateway.rest.session.LockOperations;
import io.flockgate.gateway.rest.session.SessionOperations;
import io.flockgate.storage.Kind;

/** Gives each route of the REST API to the class that carries it out. On one event loop. */
record RestRoutes(
        Reports reports,
        OperatorRoutes operator,
        SessionOperations sessions,
        LockOperations locks,
        FleetLockOperations fleetLock)
        implements RouteHandler {
    @Override
    public void handle(HttpExchange exchange, RequestHead head, Routing.Found found) {
        switch (found.route()) {
            case HEALTH -> exchange.reply(RestReplies.OK);
            case READY -> exchange.reply(reports.ready());
            case METRICS -> reports.metrics(exchange);
            case OPENAPI -> exchange.reply(reports.openApi());
            case STATS -> reports.stats(exchange);
            case LIST_KEYS -> reports.listKeys(exchange, head);
            case GET_KEY -> reports.key(exchange, head, found.segment());
            case LIST_DEADLOCKS -> reports.deadlocks(exchange);
            case LIST_GATEWAYS -> reports.gateways(exchange);
            case EVICT_HOLDER -> operator.evict(exchange, head, found);
            case REMOVE_WAITER -> operator.removeWaiter(exchange, head, found);
            case DRAIN -> operator.drain(exchange, head);
            case UNDRAIN -> operator.undrain(exchange, head);
            case EVENTS -> reports.events(exchange, head);
            case CREATE_SESSION -> sessions.create(exchange);
            case DELETE_SESSION -> sessions.delete(exchange, found.segment());
            case PING_SESSION -> sessions.ping(exchange, found.segment());
            case ACQUIRE_LOCK -> lock(exchange, head, LockOperation.ACQUIRE, found);
            case RELEASE_LOCK -> lock(exchange, head, LockOperation.RELEASE, found);
            case RENEW_LOCK -> lock(exchange, head, LockOperation.RENEW, found);
            case ENQUEUE_LOCK -> lock(exchange, head, LockOperation.ENQUEUE, found);
            case WAIT_LOCK -> lock(exchange, head, LockOperation.WAIT, found);
            case ACQUIRE_SEM -> semaphore(exchange, head, LockOperation.ACQUIRE, found);
            case RELEASE_SEM -> semaphore(exchange, head, LockOperation.RELEASE, found);
            case RENEW_SEM -> semaphore(exchange, head, LockOperation.RENEW, found);
            case ENQUEUE_SEM -> semaphore(exchange, head, LockOperation.ENQUEUE, found);
            case WAIT_SEM -> semaphore(exchange, head, LockOperation.WAIT, found);
            case LIST_GROUPS -> fleetLock.groups(exchange);
            case GET_GROUP -> fleetLock.group(exchange, head, found);
            case REMOVE_HOLDER -> fleetLock.remove(exchange, head, found);
            case PAUSE_GROUP -> fleetLock.pause(exchange, head, found);
            case RESUME_GROUP -> fleetLock.resume(exchange, head, found);
        }
    }

    private void lock(HttpExchange exchange, RequestHead head, LockOperation operation, Routing.Found found) {
        locks.handle(exchange, head, operation, Kind.LOCK, found.segment());
    }

    private void semaphore(HttpExchange exchange, RequestHead head, LockOperation operation, Routing.Found found) {
        locks.handle(exchange, head, operation, Kind.SEMAPHORE, found.segment());
    }
}
