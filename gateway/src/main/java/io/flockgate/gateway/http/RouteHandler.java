package io.flockgate.gateway.http;

/** Carries out the requests of a route. */
@FunctionalInterface
interface RouteHandler {
    void handle(HttpExchange exchange, RequestHead head, Routing.Found found);
}
