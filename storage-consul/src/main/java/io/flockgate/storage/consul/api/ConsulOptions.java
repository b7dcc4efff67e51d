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
    /** A text that does not contain the token. */
    @Override
    public String toString() {
        return "ConsulOptions[address=" + address + ", caFile=" + caFile + ", clientCert=" + clientCert
                + ", scope=" + scope
                + ", watchBudget=" + watchBudget + "]";
    }
}
