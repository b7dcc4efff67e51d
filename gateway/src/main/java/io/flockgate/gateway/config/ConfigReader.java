package io.flockgate.gateway.config;

import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts;
import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts.Slots;
import io.flockgate.gateway.config.FleetLockOptions.FleetLockTexts.Window;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig.TokensSource;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.LockConfig;
import io.flockgate.gateway.config.GatewayConfig.StorageConfig;
import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig.ClientCa;
import io.flockgate.gateway.config.Secrets.TokenFile;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.rights.TokensFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Arguments.Given;
import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionException;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import io.flockgate.text.Quoting;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
        StorageConfig storage = storage();
        HttpConfig http = http(tcp);
        AuthConfig auth = auth();
        return new GatewayConfig(
                tcp,
                locks(),
                nodeName(tcp.port()),
                storage,
                tls(auth),
                auth,
                http,
                caps(),
                fleetLock(storage, http),
                seconds(GatewayOptions.SHUTDOWN_TIMEOUT),
                seconds(GatewayOptions.SHUTDOWN_DELAY),
                sources.get(GatewayOptions.LOG_GRANTS),
                sources.get(GatewayOptions.DEBUG));
    }

    private TcpConfig tcp() {
        return new TcpConfig(
                sources.get(GatewayOptions.HOST),
                number(GatewayOptions.PORT),
                seconds(GatewayOptions.READ_TIMEOUT),
                seconds(GatewayOptions.WRITE_TIMEOUT),
                sources.get(GatewayOptions.AUTO_RELEASE),
                number(GatewayOptions.EVENT_LOOPS),
                sources.get(GatewayOptions.PROXY_PROTOCOL));
    }

    private LockConfig locks() {
        return new LockConfig(
                seconds(GatewayOptions.DEFAULT_LEASE),
                new Upkeep(
                        seconds(GatewayOptions.SWEEP_INTERVAL),
                        seconds(GatewayOptions.GC_INTERVAL),
                        seconds(GatewayOptions.GC_MAX_IDLE)),
                new StorageLimits(
                        sources.get(GatewayOptions.MAX_LOCKS),
                        sources.get(GatewayOptions.MAX_HOLDERS),
                        sources.get(GatewayOptions.MAX_WAITERS)));
    }

    /**
     * The caps of flags, and constants. A peer may have a quarter of the event streams, at least
     * one.
     */
    private Map<Resource, Caps> caps() {
        long streams = sources.get(GatewayOptions.HTTP_MAX_EVENT_STREAMS);
        return Map.of(
                Resource.CONNECTION,
                caps(GatewayOptions.MAX_CONNECTIONS, GatewayOptions.MAX_CONNECTIONS_PER_IP),
                Resource.HTTP_CONNECTION,
                caps(GatewayOptions.HTTP_MAX_CONNECTIONS, GatewayOptions.HTTP_MAX_CONNECTIONS_PER_IP),
                Resource.SESSION,
                caps(GatewayOptions.HTTP_MAX_SESSIONS, GatewayOptions.HTTP_MAX_SESSIONS_PER_IP),
                Resource.EVENT_STREAM,
                new Caps(streams, Math.max(1, streams / 4)),
                Resource.CALL,
                new Caps(20_000, 10_000),
                Resource.REPORT,
                new Caps(68, 34),
                Resource.ENQUEUED,
                new Caps(100_000, 10_000),
                Resource.SLOT,
                new Caps(0, sources.get(GatewayOptions.MAX_HOLDERS_PER_CLIENT)));
    }

    private Caps caps(Option<Long> total, Option<Long> perPeer) {
        return new Caps(sources.get(total), sources.get(perPeer));
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
                rate,
                burst == 0 ? rate : burst,
                sources.get(GatewayOptions.HTTP_ALLOWED_HOSTS),
                sources.get(GatewayOptions.HTTP_CORS_ORIGINS),
                sources.get(GatewayOptions.HTTP_PAGE),
                pageUrl(host.isEmpty() ? tcp.host() : host, port));
    }

    private String pageUrl(String host, int port) {
        String given = sources.get(GatewayOptions.HTTP_PAGE_URL);
        boolean served = port != 0 && sources.get(GatewayOptions.HTTP_PAGE);
        boolean tls = sources.get(GatewayOptions.TLS_CERT).isPresent();
        return !served ? "" : given.isEmpty() ? PageAddress.of(host, port, tls) : given;
    }

    /**
     * An unknown storage has no options. The start will fail and name the installed storages.
     */
    private StorageConfig storage() {
        String name = sources.get(GatewayOptions.STORAGE);
        return new StorageConfig(name, installed.named(name).map(this::values).orElse(OptionValues.DEFAULTS));
    }

    private OptionValues values(StorageProvider storage) {
        refuseFlagsOfOthers(storage);
        Map<String, String> texts = new HashMap<>();
        Set<Option<?>> read = new HashSet<>();
        storage.secrets().forEach(secret -> read.addAll(List.of(secret.text(), secret.file())));
        storage.options().stream()
                .filter(option -> !read.contains(option))
                .forEach(option -> sources.text(option).ifPresent(text -> texts.put(option.flag(), text)));
        storage.secrets().forEach(secret -> read(secret, texts));
        OptionValues values = new OptionValues(texts);
        storage.violation(values).ifPresent(violation -> {
            throw new OptionException(violation);
        });
        return values;
    }

    /**
     * A variable may be set for another program. A flag is meant for the gateway, so its user
     * expects another storage.
     */
    private void refuseFlagsOfOthers(StorageProvider storage) {
        installed.storages().stream()
                .<Option<?>>flatMap(other -> other.options().stream())
                .filter(option -> !storage.options().contains(option))
                .filter(option -> sources.onCommandLine(option).isPresent())
                .findFirst()
                .ifPresent(option -> {
                    throw new OptionException(option.dashed() + " has no meaning with --storage " + storage.name());
                });
    }

    private void read(Secret secret, Map<String, String> texts) {
        List<Option<?>> both = List.of(secret.text(), secret.file());
        List<Given> flags = given(both.stream().map(sources::onCommandLine));
        List<Given> given = flags.isEmpty() ? given(both.stream().map(sources::inEnvironment)) : flags;
        if (given.size() > 1) {
            throw new OptionException(
                    given.getFirst().name() + " and " + given.getLast().name() + " must not both be given");
        }
        given.forEach(source -> read(secret, source, texts));
    }

    private static List<Given> given(Stream<Optional<Given>> sources) {
        return sources.flatMap(Optional::stream).toList();
    }

    /** The storage gets the name of a file, not its content, because it rereads the file. */
    private void read(Secret secret, Given source, Map<String, String> texts) {
        String text = secret(source, secret.file());
        secret.text().rule().violation().apply(text).ifPresent(violation -> {
            throw new OptionException(source.name() + ": the token " + violation);
        });
        boolean isFile = source.option().equals(secret.file());
        texts.put(source.option().flag(), isFile ? source.text() : text);
    }

    /** The secret, which is in a file if this option was given. */
    private String secret(Given given, Option<?> file) {
        return given.option().equals(file) ? Secrets.inFile(given, files) : Secrets.inText(given);
    }

    private Duration seconds(Option<Long> option) {
        return Duration.ofSeconds(sources.get(option));
    }

    private int number(Option<Long> option) {
        return Math.toIntExact(sources.get(option));
    }

    /**
     * Finds the tokens: the one with all rights, and the file of named ones. No message shows any
     * part of a token. Without them, loads no class of rights, as a lambda that names one would.
     */
    private AuthConfig auth() {
        String secret = token().orElse(null);
        NamedToken token = secret == null ? null : NamedToken.authToken(secret);
        boolean isShort = secret != null && secret.length() < Secrets.SAFE_CHARACTERS;
        Given file = sources.given(GatewayOptions.TOKENS_FILE).orElse(null);
        TokensSource named = file == null ? null : tokensFile(file, token);
        return new AuthConfig(Optional.ofNullable(token), isShort, Optional.ofNullable(named));
    }

    /**
     * The first given source wins: flag, file named by flag, variable, file named by variable. A
     * blank source is refused, even if another one wins.
     */
    private Optional<String> token() {
        List<Given> given = given(Stream.of(
                sources.onCommandLine(GatewayOptions.AUTH_TOKEN),
                sources.onCommandLine(GatewayOptions.AUTH_TOKEN_FILE),
                sources.inEnvironment(GatewayOptions.AUTH_TOKEN),
                sources.inEnvironment(GatewayOptions.AUTH_TOKEN_FILE)));
        given.forEach(Secrets::refuseBlank);
        return given.stream().findFirst().map(first -> secret(first, GatewayOptions.AUTH_TOKEN_FILE));
    }

    private TokensSource tokensFile(Given given, @Nullable NamedToken first) {
        Secrets.refuseBlank(given);
        try {
            Path path = Path.of(given.text());
            byte[] content = files.read(path, TokensFile.MAX_BYTES);
            return new TokensSource(path, Tokens.ofFile(first, content));
        } catch (IOException | InvalidPathException e) {
            throw Secrets.unreadable(given.name(), given.text(), e);
        } catch (IllegalArgumentException e) {
            throw new OptionException(given.name() + ": " + Quoting.quoted(given.text()) + ", " + e.getMessage());
        }
    }

    /** Empty when FleetLock is off. */
    private Optional<FleetLockConfig> fleetLock(StorageConfig storage, HttpConfig http) {
        List<Slots> slots = sources.get(FleetLockOptions.GROUPS);
        List<Window> windows = sources.get(FleetLockOptions.WINDOW);
        String prefix = sources.get(FleetLockOptions.PATH_PREFIX);
        Duration staleAfter = seconds(FleetLockOptions.STALE_AFTER);
        boolean isVolatile = sources.get(FleetLockOptions.VOLATILE);
        if (slots.isEmpty()) {
            refuseFleetLockFlags();
            return Optional.empty();
        }
        List<FleetLockGroup> groups = FleetLockTexts.groups(slots, windows);
        refuseWindowsOfNoGroup(groups, windows);
        if (!http.enabled()) {
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

    private void refuseFleetLockFlags() {
        FleetLockOptions.SECTION.options().stream()
                .filter(option -> sources.onCommandLine(option).isPresent())
                .filter(option -> !option.equals(FleetLockOptions.GROUPS))
                .findFirst()
                .ifPresent(option -> {
                    throw new OptionException(option.dashed() + " has no meaning without --fleetlock-groups");
                });
    }

    private static void refuseWindowsOfNoGroup(List<FleetLockGroup> groups, List<Window> windows) {
        windows.stream()
                .map(Window::group)
                .filter(name -> groups.stream().noneMatch(group -> group.name().equals(name)))
                .findFirst()
                .ifPresent(name -> {
                    throw new OptionException("--fleetlock-window names a group that --fleetlock-groups does not: "
                            + Quoting.quoted(name));
                });
    }
}
