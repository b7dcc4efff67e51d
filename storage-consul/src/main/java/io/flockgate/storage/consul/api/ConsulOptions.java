package io.flockgate.storage.consul.api;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options of the connection to a Consul agent.
 *
 * @param tls used only if the address is {@code https}
 * @param scope the parameters added to every request, such as {@code ns=team}
 * @param watchBudget the maximum number of concurrent watches, each on its own connection
 */
public record ConsulOptions(
        ConsulAddress address, TokenSource token, TlsFiles tls, List<String> scope, int watchBudget) {
    /**
     * PEM files.
     *
     * @param authorities the certificates of the authorities that may have signed the agent's; null
     *     for the Java runtime's
     * @param clientCert this client's certificate with its chain; null for none
     * @param clientKey the private key of that certificate, PKCS#8, PKCS#1 or SEC1, without a
     *     password; null for none
     */
    public record TlsFiles(
            @Nullable Path authorities,
            @Nullable Path clientCert,
            @Nullable Path clientKey) {}

    /** A text that does not contain the token. */
    @Override
    public String toString() {
        return "ConsulOptions[address=" + address + ", tls=" + tls + ", scope=" + scope + ", watchBudget=" + watchBudget
                + "]";
    }
}
