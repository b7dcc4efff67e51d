package io.flockgate.gateway.http;

/** Answers the requests of one event loop, at once or later. */
@FunctionalInterface
public interface RequestHandler {
    void handle(HttpRequest request, Responder responder);
}
