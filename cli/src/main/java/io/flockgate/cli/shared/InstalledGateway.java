package io.flockgate.cli.shared;

import java.util.List;
import java.util.Map;

/**
 * The gateway that the sub-commands are installed with. Only it can read its settings and write the
 * entries of its tokens.
 */
public interface InstalledGateway {
    /**
     * Where a gateway with these flags and variables listens for HTTP.
     *
     * @throws IllegalArgumentException with a message for an operator, if the gateway would not
     *     start with them
     */
    Listeners listeners(List<String> flags, Map<String, String> environment);

    /** Whether {@code --tokens-file} may have a token of this name. */
    boolean isTokenName(String name);

    /**
     * The entry of a token for {@code --tokens-file}. It contains only the hash of the secret.
     *
     * @throws IllegalArgumentException with a message for an operator, for the first text that is
     *     not a right
     */
    String tokenEntry(String name, String secret, List<String> allow);

    /**
     * Where a gateway listens for HTTP.
     *
     * @param httpPort 0 without an HTTP server
     * @param tls whether it speaks TLS
     * @param forCertificates whether only clients with a certificate are served
     */
    record Listeners(String httpHost, int httpPort, boolean tls, boolean forCertificates) {}
}
