package io.flockgate.gateway.rest;

/**
 * A request that cannot be carried out as it is. The message gives the client the reason. It
 * repeats the name of an unknown field or parameter, and nothing else of the request.
 */
public final class FaultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public FaultException(String message) {
        super(message, null, false, false);
    }
}
