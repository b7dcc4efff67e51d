package io.flockgate.gateway.config;

import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig.TokensSource;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.LockConfig;
import io.flockgate.gateway.config.GatewayConfig.StorageConfig;
import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig.ClientCa;
import io.flockgate.gateway.config.InstalledStorages.StorageReader;
import io.flockgate.gateway.config.Secrets.TokenFile;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.TokensFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Arguments.Given;
import io.flockgate.options.Option;
import io.flockgate.options.OptionException;
import io.flockgate.storage.StorageLimits;
import io.flockgate.text.Quoting;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

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

    /**
     * Finds the tokens: the one with all rights, and the file of named ones. For the former, the
     * first given source wins: flag, file named by flag, variable, file named by variable. A blank
     * source is refused, even if another one wins. No message shows any part of a token.
     */
    private static final class AuthTokens {
        /** A source that was given; its text is the token or the name of a file. */
        private record Source(Given given, boolean isFile) {}

        private final TokenFile files;

        AuthTokens(TokenFile files) {
            this.files = files;
        }

        AuthConfig find(Arguments sources) {
            Optional<AuthToken> token = token(sources);
            Optional<Given> file = sources.given(GatewayOptions.TOKENS_FILE);
            return new AuthConfig(token, file.map(given -> tokensFile(given, new AuthConfig(token, Optional.empty()))));
        }

        private TokensSource tokensFile(Given given, AuthConfig other) {
            Secrets.refuseBlank(given);
            try {
                Path path = Path.of(given.text());
                byte[] content = files.read(path, TokensFile.MAX_BYTES);
                return new TokensSource(path, Tokens.ofFile(other.named(), content));
            } catch (IOException | InvalidPathException e) {
                throw Secrets.unreadable(given.name(), given.text(), e);
            } catch (IllegalArgumentException e) {
                throw new OptionException(given.name() + ": " + Quoting.quoted(given.text()) + ", " + e.getMessage());
            }
        }

        private Optional<AuthToken> token(Arguments sources) {
            List<Source> given = Stream.of(
                            source(sources.onCommandLine(GatewayOptions.AUTH_TOKEN), false),
                            source(sources.onCommandLine(GatewayOptions.AUTH_TOKEN_FILE), true),
                            source(sources.inEnvironment(GatewayOptions.AUTH_TOKEN), false),
                            source(sources.inEnvironment(GatewayOptions.AUTH_TOKEN_FILE), true))
                    .flatMap(Optional::stream)
                    .toList();
            given.forEach(source -> Secrets.refuseBlank(source.given));
            return given.stream().findFirst().map(this::token);
        }

        private static Optional<Source> source(Optional<Given> given, boolean isFile) {
            return given.map(found -> new Source(found, isFile));
        }

        private AuthToken token(Source source) {
            return new AuthToken(source.isFile ? Secrets.inFile(source.given, files) : Secrets.inText(source.given));
        }
    }

    /**
     * Builds FleetLock's configuration from its sources. Checks the rules that concern more than
     * one option.
     */
    private static final class FleetLockReader {
        private final Arguments sources;

        FleetLockReader(Arguments sources) {
            this.sources = sources;
        }

        /**
         * Empty when FleetLock is off.
         *
         * @param http whether there is an HTTP server
         */
        Optional<FleetLockConfig> read(StorageConfig storage, boolean http) {
            List<String> texts = sources.get(FleetLockOptions.GROUPS);
            List<String> windows = sources.get(FleetLockOptions.WINDOW);
            String prefix = FleetLockTexts.prefix(sources.get(FleetLockOptions.PATH_PREFIX))
                    .orElseThrow();
            Duration staleAfter = Duration.ofSeconds(sources.get(FleetLockOptions.STALE_AFTER));
            boolean isVolatile = sources.get(FleetLockOptions.VOLATILE);
            if (texts.isEmpty()) {
                refuseOthers();
                return Optional.empty();
            }
            List<FleetLockGroup> groups = FleetLockTexts.groups(texts, windows);
            refuseWindowsOfNobody(groups, windows);
            if (!http) {
                throw new OptionException("--fleetlock-groups needs an HTTP server: set --http-port");
            }
            if (!isVolatile) {
                refuseToForget(storage);
            }
            return Optional.of(new FleetLockConfig(groups, prefix, staleAfter));
        }

        private static void refuseToForget(StorageConfig storage) {
            InstalledStorages.rosters(storage.name())
                    .flatMap(rosters -> rosters.missingToSurvive(storage.options()))
                    .ifPresent(missing -> {
                        throw new OptionException("--fleetlock-groups with --storage " + storage.name() + " needs "
                                + missing + ", or --fleetlock-volatile if all slots may be free after a restart");
                    });
        }

        private void refuseOthers() {
            FleetLockOptions.SECTION.options().stream()
                    .filter(option -> sources.onCommandLine(option).isPresent())
                    .filter(option -> !option.equals(FleetLockOptions.GROUPS))
                    .findFirst()
                    .ifPresent(option -> {
                        throw new OptionException(option.dashed() + " has no meaning without --fleetlock-groups");
                    });
        }

        private static void refuseWindowsOfNobody(List<FleetLockGroup> groups, List<String> windows) {
            windows.stream()
                    .map(FleetLockTexts.Window::of)
                    .flatMap(Optional::stream)
                    .map(FleetLockTexts.Window::group)
                    .filter(name ->
                            groups.stream().noneMatch(group -> group.name().equals(name)))
                    .findFirst()
                    .ifPresent(name -> {
                        throw new OptionException("--fleetlock-window names a group that --fleetlock-groups does not: "
                                + Quoting.quoted(name));
                    });
        }
    }
}
