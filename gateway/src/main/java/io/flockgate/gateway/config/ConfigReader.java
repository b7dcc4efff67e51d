package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes the configuration out of its sources, and checks what concerns more than one setting. */
final class ConfigReader {
    private final Sources sources;
    private final TokenFile files;

    ConfigReader(Sources sources, TokenFile files) {
        this.sources = sources;
        this.files = files;
    }

    /** @throws ConfigException for the first setting that cannot be used */
    GatewayConfig read() {
        TcpConfig tcp = tcp();
        LockConfig locks = locks();
        String nodeName = nodeName(tcp.port());
        StorageConfig storage = storage(nodeName);
        Optional<TlsConfig> tls = tls();
        HttpConfig http = http(tcp);
        Optional<FleetLockConfig> fleetLock = new FleetLockReader(sources).read(storage, http.enabled(), nodeName);
        Duration shutdownTimeout = seconds(Settings.SHUTDOWN_TIMEOUT);
        Duration shutdownDelay = seconds(Settings.SHUTDOWN_DELAY);
        boolean debug = sources.get(Settings.DEBUG);
        Optional<AuthToken> auth = new AuthTokens(files).find(sources);
        return new GatewayConfig(
                tcp, locks, storage, tls, auth, http, fleetLock, shutdownTimeout, shutdownDelay, debug);
    }

    private TcpConfig tcp() {
        return new TcpConfig(
                sources.get(Settings.HOST),
                number(Settings.PORT),
                seconds(Settings.READ_TIMEOUT),
                seconds(Settings.WRITE_TIMEOUT),
                sources.get(Settings.MAX_CONNECTIONS),
                sources.get(Settings.MAX_CONNECTIONS_PER_IP),
                sources.get(Settings.AUTO_RELEASE),
                number(Settings.EVENT_LOOPS));
    }

    private LockConfig locks() {
        return new LockConfig(
                seconds(Settings.DEFAULT_LEASE),
                seconds(Settings.SWEEP_INTERVAL),
                seconds(Settings.GC_INTERVAL),
                seconds(Settings.GC_MAX_IDLE),
                sources.get(Settings.MAX_LOCKS),
                sources.get(Settings.MAX_WAITERS),
                sources.get(Settings.FENCE_STATE_FILE));
    }

    private String nodeName(int port) {
        String given = sources.get(Settings.NODE_NAME);
        return given.isEmpty() ? NodeName.unnamed(NodeName.ofHost(), port) : given;
    }

    private StorageConfig storage(String nodeName) {
        String name = sources.get(Settings.STORAGE);
        boolean memory = name.equals(Settings.STORAGE.fallback());
        refuseFlags(memory ? ConsulSettings.ALL : List.of(Settings.DATA_DIR), name);
        if (memory) {
            return new StorageConfig(name, Map.of());
        }
        Map<String, String> options = new HashMap<>(new ConsulReader(sources, files).read());
        options.put(Settings.NODE_NAME.flag(), nodeName);
        return new StorageConfig(name, options);
    }

    /** Variables may be there for other programs; a flag is meant for us, and its sender believes in another storage. */
    private void refuseFlags(List<Setting<?>> settings, String storage) {
        settings.stream()
                .filter(setting -> sources.onCommandLine(setting).isPresent())
                .findFirst()
                .ifPresent(setting -> {
                    throw new ConfigException(setting.dashed() + " has no meaning with --storage " + storage);
                });
    }

    private Optional<TlsConfig> tls() {
        Optional<Path> certificate = sources.get(Settings.TLS_CERT);
        Optional<Path> key = sources.get(Settings.TLS_KEY);
        if (certificate.isPresent() != key.isPresent()) {
            throw new ConfigException("both --tls-cert and --tls-key must be provided together");
        }
        return certificate.flatMap(chain -> key.map(secret -> new TlsConfig(chain, secret)));
    }

    private HttpConfig http(TcpConfig tcp) {
        int port = number(Settings.HTTP_PORT);
        if (port != 0 && port == tcp.port()) {
            throw new ConfigException("--http-port must differ from --port (both are " + port + ")");
        }
        String host = sources.get(Settings.HTTP_HOST);
        long rate = sources.get(Settings.HTTP_RATE_LIMIT);
        long burst = sources.get(Settings.HTTP_RATE_BURST);
        return new HttpConfig(
                host.isEmpty() ? tcp.host() : host,
                port,
                seconds(Settings.HTTP_SESSION_IDLE),
                sources.get(Settings.HTTP_MAX_SESSIONS),
                sources.get(Settings.HTTP_MAX_SESSIONS_PER_IP),
                sources.get(Settings.HTTP_MAX_CONNECTIONS_PER_IP),
                rate,
                burst == 0 ? rate : burst,
                sources.get(Settings.HTTP_CORS_ORIGINS));
    }

    private Duration seconds(Setting<Long> setting) {
        return Duration.ofSeconds(sources.get(setting));
    }

    private int number(Setting<Long> setting) {
        return Math.toIntExact(sources.get(setting));
    }
}
