package io.flockgate.gateway.config;

import io.flockgate.gateway.config.TlsConfig.ClientCa;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.options.OptionException;
import io.flockgate.storage.StorageLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Builds the configuration from its sources. Checks the rules that concern more than one option.
 */
final class ConfigReader {
    private final Arguments sources;
    private final TokenFile files;
    private final InstalledStorages installed;

    ConfigReader(Arguments sources, TokenFile files, InstalledStorages installed) {
        this.sources = sources;
        this.files = files;
        this.installed = installed;
    }

    /**
     * @throws OptionException for the first option that cannot be used
     */
    GatewayConfig read() {
        TcpConfig tcp = tcp();
        LockConfig locks = locks();
        String nodeName = nodeName(tcp.port());
        StorageConfig storage = new StorageReader(sources, files, installed).read();
        HttpConfig http = http(tcp);
        Optional<FleetLockConfig> fleetLock = new FleetLockReader(sources).read(storage, http.enabled());
        Duration shutdownTimeout = seconds(GatewayOptions.SHUTDOWN_TIMEOUT);
        Duration shutdownDelay = seconds(GatewayOptions.SHUTDOWN_DELAY);
        boolean logGrants = sources.get(GatewayOptions.LOG_GRANTS);
        boolean debug = sources.get(GatewayOptions.DEBUG);
        AuthConfig auth = new AuthTokens(files).find(sources);
        Optional<TlsConfig> tls = tls(auth);
        return new GatewayConfig(
                tcp,
                locks,
                nodeName,
                storage,
                tls,
                auth,
                http,
                fleetLock,
                shutdownTimeout,
                shutdownDelay,
                logGrants,
                debug);
    }

    private TcpConfig tcp() {
        return new TcpConfig(
                sources.get(GatewayOptions.HOST),
                number(GatewayOptions.PORT),
                seconds(GatewayOptions.READ_TIMEOUT),
                seconds(GatewayOptions.WRITE_TIMEOUT),
                sources.get(GatewayOptions.MAX_CONNECTIONS),
                sources.get(GatewayOptions.MAX_CONNECTIONS_PER_IP),
                sources.get(GatewayOptions.AUTO_RELEASE),
                number(GatewayOptions.EVENT_LOOPS),
                Network.of(sources.get(GatewayOptions.PROXY_PROTOCOL)));
    }

    private LockConfig locks() {
        return new LockConfig(
                seconds(GatewayOptions.DEFAULT_LEASE),
                seconds(GatewayOptions.SWEEP_INTERVAL),
                seconds(GatewayOptions.GC_INTERVAL),
                seconds(GatewayOptions.GC_MAX_IDLE),
                new StorageLimits(
                        sources.get(GatewayOptions.MAX_LOCKS),
                        sources.get(GatewayOptions.MAX_HOLDERS),
                        sources.get(GatewayOptions.MAX_WAITERS)),
                sources.get(GatewayOptions.MAX_HOLDERS_PER_CLIENT),
                sources.get(GatewayOptions.FENCE_STATE_FILE));
    }

    private String nodeName(int port) {
        String given = sources.get(GatewayOptions.NODE_NAME);
        return given.isEmpty() ? NodeName.unnamed(NodeName.ofHost(), port) : given;
    }

    private Optional<TlsConfig> tls(AuthConfig auth) {
        Optional<Path> certificate = sources.get(GatewayOptions.TLS_CERT);
        Optional<Path> key = sources.get(GatewayOptions.TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            throw new OptionException("both --tls-cert and --tls-key must be provided together");
        }
        Optional<ClientCa> clients = clientCa(auth);
        if (clients.isPresent() && certificate.isEmpty()) {
            throw new OptionException("--tls-client-ca needs --tls-cert and --tls-key");
        }
        return certificate.flatMap(chain -> key.map(secret -> new TlsConfig(chain, secret, clients)));
    }

    /** A blank name, such as that of an unset shell variable, must not admit every client. */
    private Optional<ClientCa> clientCa(AuthConfig auth) {
        sources.given(GatewayOptions.TLS_CLIENT_CA).ifPresent(Secrets::refuseBlank);
        return sources.get(GatewayOptions.TLS_CLIENT_CA).map(file -> new ClientCa(file, !auth.isRequired()));
    }

    private HttpConfig http(TcpConfig tcp) {
        int port = number(GatewayOptions.HTTP_PORT);
        if (port != 0 && port == tcp.port()) {
            throw new OptionException("--http-port must differ from --port (both are " + port + ")");
        }
        String host = sources.get(GatewayOptions.HTTP_HOST);
        long rate = sources.get(GatewayOptions.HTTP_RATE_LIMIT);
        long burst = sources.get(GatewayOptions.HTTP_RATE_BURST);
        return new HttpConfig(
                host.isEmpty() ? tcp.host() : host,
                port,
                seconds(GatewayOptions.HTTP_SESSION_IDLE),
                sources.get(GatewayOptions.HTTP_MAX_SESSIONS),
                sources.get(GatewayOptions.HTTP_MAX_SESSIONS_PER_IP),
                sources.get(GatewayOptions.HTTP_MAX_CONNECTIONS),
                sources.get(GatewayOptions.HTTP_MAX_CONNECTIONS_PER_IP),
                rate,
                burst == 0 ? rate : burst,
                sources.get(GatewayOptions.HTTP_ALLOWED_HOSTS),
                sources.get(GatewayOptions.HTTP_CORS_ORIGINS),
                sources.get(GatewayOptions.HTTP_MAX_EVENT_STREAMS),
                sources.get(GatewayOptions.HTTP_PAGE),
                pageUrl(host.isEmpty() ? tcp.host() : host, port));
    }

    private String pageUrl(String host, int port) {
        String given = sources.get(GatewayOptions.HTTP_PAGE_URL);
        boolean served = port != 0 && sources.get(GatewayOptions.HTTP_PAGE);
        boolean tls = sources.get(GatewayOptions.TLS_CERT).isPresent();
        return !served ? "" : given.isEmpty() ? PageAddress.of(host, port, tls) : given;
    }

    private Duration seconds(Option<Long> option) {
        return Duration.ofSeconds(sources.get(option));
    }

    private int number(Option<Long> option) {
        return Math.toIntExact(sources.get(option));
    }
}
