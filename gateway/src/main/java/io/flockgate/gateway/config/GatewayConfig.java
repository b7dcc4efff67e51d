package io.flockgate.gateway.config;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The configuration of a gateway, checked. Immutable; safe to print.
 *
 * @param nodeName the name of this gateway among all gateways that share its storage
 * @param caps those of the gate, except on TLS handshakes
 * @param fleetLock empty when FleetLock is not served
 * @param shutdownTimeout the time that connections have to finish when the gateway stops; zero for
 *     no limit
 * @param shutdownDelay the time before that, during which only the readiness check fails; may be
 *     zero
 * @param logGrants whether to log each grant and its end
 * @param debug whether to log at DEBUG
 */
public record GatewayConfig(
        TcpConfig tcp,
        LockConfig locks,
        String nodeName,
        StorageConfig storage,
        Optional<TlsConfig> tls,
        AuthConfig auth,
        HttpConfig http,
        Map<Resource, Caps> caps,
        Optional<FleetLockConfig> fleetLock,
        Duration shutdownTimeout,
        Duration shutdownDelay,
        boolean logGrants,
        boolean debug) {
    public GatewayConfig {
        caps = Map.copyOf(caps);
    }

    /** The caps on a resource. */
    public Caps caps(Resource resource) {
        return Objects.requireNonNull(caps.get(resource));
    }

    /**
     * The storage. Safe to print.
     *
     * @param name the name of the provider; not blank, but there may be no such provider
     * @param options the storage's options, checked
     */
    public record StorageConfig(String name, OptionValues options) {}

    /**
     * Locks and semaphores, by the options of {@link GatewayOptions#LOCKS}. Durations are whole
     * seconds, up to 9,223,372,036.
     *
     * @param limits the caps on keys, holders and waiters that the storage enforces
     */
    public record LockConfig(Duration defaultLease, Upkeep upkeep, StorageLimits limits) {}

    /**
     * The TCP server, by the options of {@link GatewayOptions#TCP}. Durations are whole seconds, up
     * to 9,223,372,036, so that nanoseconds fit a signed 64-bit number.
     *
     * @param host the address to listen on; empty for all addresses
     * @param proxies those that begin each connection with a PROXY header, on both ports
     */
    public record TcpConfig(
            String host,
            int port,
            Duration readTimeout,
            Duration writeTimeout,
            boolean autoRelease,
            int eventLoops,
            List<Network> proxies) {
        public TcpConfig {
            proxies = List.copyOf(proxies);
        }
    }

    /**
     * TLS of all listeners. The files have not been opened.
     *
     * @param certificate the file of the certificate chain, PEM
     * @param key the file of the private key, PEM
     * @param clients empty if no certificate is requested from clients
     */
    public record TlsConfig(Path certificate, Path key, Optional<ClientCa> clients) {
        /**
         * The authorities that sign the certificates of clients.
         *
         * @param file their certificates, PEM
         * @param required whether a client without a certificate is refused
         */
        public record ClientCa(Path file, boolean required) {}

        /** Whether every client has a certificate of the authorities. */
        public boolean isCertificateRequired() {
            return clients.filter(ClientCa::required).isPresent();
        }
    }

    /**
     * The HTTP server, by the options of {@link GatewayOptions#HTTP}. Durations are whole seconds,
     * up to 9,223,372,036.
     *
     * @param host the address to listen on; empty for all addresses
     * @param rateLimitBurst 0 only without a rate limit
     * @param pageUrl the address of the page for the pages of other gateways; empty if it is not
     *     known
     */
    public record HttpConfig(
            String host,
            int port,
            Duration sessionIdleTimeout,
            long rateLimitPerIp,
            long rateLimitBurst,
            List<String> allowedHosts,
            List<String> corsAllowedOrigins,
            boolean page,
            String pageUrl) {
        public HttpConfig {
            allowedHosts = List.copyOf(allowedHosts);
            corsAllowedOrigins = List.copyOf(corsAllowedOrigins);
        }

        public boolean enabled() {
            return port != 0;
        }
    }

    /**
     * The tokens that clients may present. Safe to print.
     *
     * @param token the token with all rights
     * @param isShort whether that token can be guessed
     * @param file the file of named tokens, read and checked
     */
    public record AuthConfig(Optional<NamedToken> token, boolean isShort, Optional<TokensSource> file) {
        /** No token: every client may do everything. */
        public static final AuthConfig NONE = new AuthConfig(Optional.empty(), false, Optional.empty());

        /**
         * A file of tokens, as it was at the start.
         *
         * @param tokens its tokens, with {@link AuthConfig#token}
         */
        public record TokensSource(Path path, Tokens tokens) {
            @Override
            public String toString() {
                return path + " (" + tokens.names() + ")";
            }
        }

        /** Whether clients must present a token. */
        public boolean isRequired() {
            return token.isPresent() || file.isPresent();
        }
    }
}
