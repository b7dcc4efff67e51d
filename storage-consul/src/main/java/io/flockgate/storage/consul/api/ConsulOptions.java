package io.flockgate.storage.consul.api;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of the connection to a Consul agent.
 *
 * @param caFile PEM file of the authorities that may have signed the agent's certificate; null for
 *     the Java runtime's. The three files are used only if the address is {@code https}
 * @param clientCert PEM file of this client's certificate with its chain; null for none
 * @param clientKey PEM file of its key, PKCS#8, PKCS#1 or SEC1, without a password; null for none
 * @param scope the parameters added to every request, such as {@code ns=team}
 * @param watchBudget the maximum number of concurrent watches, each on its own connection
 */
public record ConsulOptions(
        ConsulAddress address,
        TokenSource token,
        @Nullable Path caFile,
        @Nullable Path clientCert,
        @Nullable Path clientKey,
        List<String> scope,
        int watchBudget) {
    /**
     * The default leaves connections for commands, because Consul allows 200 connections per
     * address.
     */
    public static final int DEFAULT_WATCH_BUDGET = 150;

    /**
     * @throws IllegalArgumentException when the combination of values is not valid
     */
    public ConsulOptions {
        if (watchBudget < 1) {
            throw new IllegalArgumentException("the budget of watches must be at least 1");
        }
        if ((clientCert == null) != (clientKey == null)) {
            throw new IllegalArgumentException(
                    "a client certificate for Consul needs its key, and a key its certificate");
        }
    }

    /**
     * The options for an agent without token or certificates.
     *
     * @throws IllegalArgumentException when the address is not valid
     */
    public static ConsulOptions at(String address) {
        return new ConsulOptions(
                ConsulAddress.parse(address).orElseThrow(IllegalArgumentException::new),
                TokenSource.none(),
                null,
                null,
                null,
                List.of(),
                DEFAULT_WATCH_BUDGET);
    }

    public ConsulOptions withToken(TokenSource other) {
        return new ConsulOptions(address, other, caFile, clientCert, clientKey, scope, watchBudget);
    }

    public ConsulOptions withCaFile(@Nullable Path other) {
        return new ConsulOptions(address, token, other, clientCert, clientKey, scope, watchBudget);
    }

    public ConsulOptions withClientCert(@Nullable Path cert, @Nullable Path key) {
        return new ConsulOptions(address, token, caFile, cert, key, scope, watchBudget);
    }

    public ConsulOptions withScope(List<String> parameters) {
        return new ConsulOptions(address, token, caFile, clientCert, clientKey, List.copyOf(parameters), watchBudget);
    }

    public ConsulOptions withWatchBudget(int other) {
        return new ConsulOptions(address, token, caFile, clientCert, clientKey, scope, other);
    }

    /** A text that does not contain the token. */
    @Override
    public String toString() {
        return "ConsulOptions[address=" + address + ", caFile=" + caFile + ", clientCert=" + clientCert
                + ", scope=" + scope
                + ", watchBudget=" + watchBudget + "]";
    }
}
