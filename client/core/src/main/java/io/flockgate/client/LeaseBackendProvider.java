package io.flockgate.client;

import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

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
     * @throws LeaseConfigException if an address or a setting is not usable
     */
    LeaseBackend backend(List<URI> servers, Settings settings);

    /**
     * The options of a connection, see {@link ConnectOptions}.
     *
     * @param authToken the server's token; null for none
     * @param sslContext supplies trust and keys. The JVM's own take long to load
     * @param ioExecutor the user's threads, for tasks that may block while a connection lasts; null
     *     for the back end's own
     */
    record Settings(
            String clientName,
            @Nullable String authToken,
            Supplier<SSLContext> sslContext,
            @Nullable Executor ioExecutor,
            LeaseEnvironment environment) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "client " + clientName;
        }
    }
}
