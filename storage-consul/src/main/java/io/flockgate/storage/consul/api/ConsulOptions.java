package io.flockgate.storage.consul.api;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Options of the connection to a Consul agent.
 *
 * @param caFile PEM file of the authorities that may have signed the agent's certificate; null for the Java runtime's. Used,
 *     like the next two, only where the address is {@code https}
 * @param clientCert PEM file of the certificate to show to the agent, with its chain; null for none
 * @param clientKey PEM file of its key, PKCS#8, PKCS#1 or SEC1, without a password; null for none
 * @param watchBudget how many watches may be under way at once, each on a connection of its own
 */
public record ConsulOptions(
        ConsulAddress address,
        TokenSource token,
        @Nullable Path caFile,
        @Nullable Path clientCert,
        @Nullable Path clientKey,
        int watchBudget) {
    /** So many watches leave room for the commands among the 200 connections that Consul allows an address. */
    public static final int DEFAULT_WATCH_BUDGET = 150;

    /** @throws IllegalArgumentException when they do not fit together */
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
     * An agent without token or certificates.
     *
     * @throws IllegalArgumentException when that is no address
     */
    public static ConsulOptions at(String address) {
        return new ConsulOptions(
                ConsulAddress.parse(address).orElseThrow(IllegalArgumentException::new),
                TokenSource.none(),
                null,
                null,
                null,
                DEFAULT_WATCH_BUDGET);
    }

    public ConsulOptions withToken(TokenSource other) {
        return new ConsulOptions(address, other, caFile, clientCert, clientKey, watchBudget);
    }

    public ConsulOptions withCaFile(@Nullable Path other) {
        return new ConsulOptions(address, token, other, clientCert, clientKey, watchBudget);
    }

    public ConsulOptions withClientCert(@Nullable Path cert, @Nullable Path key) {
        return new ConsulOptions(address, token, caFile, cert, key, watchBudget);
    }

    public ConsulOptions withWatchBudget(int other) {
        return new ConsulOptions(address, token, caFile, clientCert, clientKey, other);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "ConsulOptions[address=" + address + ", caFile=" + caFile + ", clientCert=" + clientCert
                + ", watchBudget=" + watchBudget + "]";
    }
}
