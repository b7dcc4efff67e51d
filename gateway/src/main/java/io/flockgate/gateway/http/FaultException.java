package io.flockgate.gateway.http;

/**
 * A request that cannot be carried out as it is. Thrown by the handler of a route, and by the
 * reader of a body. The message gives the client the reason. It repeats the name of an unknown
 * field or parameter, and nothing else of the request.
 */
public final class FaultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FaultException(String message) {
        super(message, null, false, false);
    }
}
