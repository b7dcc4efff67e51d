package io.flockgate.client;

import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * Makes back ends for the addresses of some schemes. {@link Flockgate} finds providers by {@link
 * java.util.ServiceLoader}.
 */
public interface LeaseBackendProvider {
    /** The schemes of the addresses, in lower case. No other provider may have them. */
    Set<String> schemes();

    /**
     * Makes a back end, which connects when it is first used.
     *
     * @param servers gateways or API servers of one cluster; at least one. The first has a
     *     scheme of this provider
     * @throws LeaseConfigException if an address or an option is not usable
     */
    LeaseBackend backend(List<URI> servers, ConnectOptions options);
}
