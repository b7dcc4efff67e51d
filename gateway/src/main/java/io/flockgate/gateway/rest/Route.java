package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.PathPattern;
import java.util.List;

/**
 * One operation of the OpenAPI document: a method and a path. Each path has one method; a route
 * with GET also answers HEAD. Immutable.
 *
 * @param operationId the name of the operation in the document
 * @param right what a request needs to be carried out
 */
public record Route(String method, PathPattern path, String operationId, RouteRight right) {
    public List<String> methods() {
        return method.equals("GET") ? List.of("GET", "HEAD") : List.of(method);
    }

    /** The methods of the path, for the header {@code Allow}. */
    String allow() {
        return String.join(", ", methods());
    }
}
