package io.flockgate.gateway.rights;

/**
 * The sender of a request, known by the name of its token. Immutable.
 *
 * @param name the name of the token; empty where no token is configured
 */
public record Principal(String name, Rights rights) {
    /** Every client, where no token is configured. */
    public static final Principal ANYBODY = new Principal("", Rights.ALL);

    /**
     * Whether a token gives the right to operate. Where no token is needed, every client has that
     * right, and operators cannot be distinguished from other clients.
     */
    public boolean isOperator() {
        return !name.isEmpty() && rights.mayOperate();
    }
}
