package io.flockgate.gateway.rights;

/**
 * The sender of a request, known by the name of its token. Immutable.
 *
 * @param name the name of the token; empty where no token is configured
 */
public record Principal(String name, Rights rights) {
    /** Anybody, where no token is configured. */
    public static final Principal ANYBODY = new Principal("", Rights.ALL);
}
