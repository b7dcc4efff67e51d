package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.HttpExchange;
import io.flockgate.gateway.http.RequestHead;

/** Carries out the requests of a route. */
@FunctionalInterface
public interface RouteHandler {
    void handle(HttpExchange exchange, RequestHead head, Routing.Found found);
}
