package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.config.StartupWarning;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.storage.StorageProvider;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs the start of a gateway and its end. The line of the start shows the settings that
 * distinguish this gateway from others; warnings name those that endanger it.
 */
final class StartLine {
    private static final Logger LOG = LoggerFactory.getLogger(StartLine.class);
    private static final String DATA_DIR = "data-dir";
    private static final String HTTP_HINT = "--http-port 6389 serves REST and the page";

    private StartLine() {}

    /**
     * Logs that the gateway serves clients.
     *
     * @param port the port of the line protocol
     * @param httpPort that of HTTP; empty where it is not served
     */
    static void started(GatewayConfig config, int port, OptionalInt httpPort) {
        String address = address(config.tcp().host(), port);
        listening("", config, address);
        Optional<String> http = httpPort.stream()
                .mapToObj(bound -> address(config.http().host(), bound))
                .findFirst();
        http.ifPresent(bound -> listening("http ", config, bound));
        LoggingEventBuilder line = LOG.atInfo()
                .addKeyValue("version", Version.text())
                .addKeyValue("storage", config.storage().name())
                .addKeyValue("node", config.nodeName())
                .addKeyValue("addr", address)
                .addKeyValue("http", http.orElse("off"))
                .addKeyValue("tls", config.tls().isPresent() ? "on" : "off")
                .addKeyValue("auth", auth(config));
        line = with(line, "data_dir", config.storage().options().text(DATA_DIR));
        line = with(line, "fence_state_file", config.storage().options().get(StorageProvider.FENCE_STATE_FILE));
        with(line, "hint", http.isPresent() ? Optional.empty() : Optional.of(HTTP_HINT))
                .log("started");
        config.fleetLock().ifPresent(StartLine::fleetLock);
    }

    private static void listening(String protocol, GatewayConfig config, String address) {
        if (config.tls().isPresent()) {
            LOG.info("{}TLS enabled", protocol);
        }
        LOG.atInfo().addKeyValue("addr", address).log("{}listening", protocol);
    }

    private static void fleetLock(FleetLockConfig fleetLock) {
        LOG.atInfo()
                .addKeyValue(
                        "groups",
                        fleetLock.groups().stream()
                                .map(group -> group.name() + "=" + group.slots())
                                .collect(Collectors.joining(",")))
                .log("serving fleetlock");
    }

    /** An address as the log shows it; without a host, that of all interfaces. */
    static String address(String host, int port) {
        String shown = host.isEmpty() ? "::" : host;
        return (shown.contains(":") ? "[" + shown + "]" : shown) + ":" + port;
    }

    private static LoggingEventBuilder with(LoggingEventBuilder line, String name, Optional<?> value) {
        return value.isPresent() ? line.addKeyValue(name, value.get()) : line;
    }

    /** The sources of tokens, and of the authorities that sign clients' certificates. */
    private static String auth(GatewayConfig config) {
        AuthConfig auth = config.auth();
        boolean certificates = config.tls().flatMap(TlsConfig::clients).isPresent();
        String sources = Stream.of(
                        auth.token().isPresent() ? "auth-token" : "",
                        auth.file().isPresent() ? "tokens-file" : "",
                        certificates ? "tls-client-ca" : "")
                .filter(source -> !source.isEmpty())
                .collect(Collectors.joining(","));
        return sources.isEmpty() ? "none" : sources;
    }

    /**
     * Logs warnings of settings that let strangers use or harm the gateway.
     *
     * @param gate has the caps in effect
     */
    static void warnings(GatewayConfig config, Gate gate) {
        StartupWarning.withoutToken(config)
                .ifPresent(flags -> LOG.atWarn().addKeyValue("reachable", flags).log(StartupWarning.NO_TOKEN));
        if (config.auth().isShort()) {
            LOG.warn(StartupWarning.SHORT_TOKEN);
        }
        StartupWarning.unset(config)
                .ifPresent(flags -> LOG.atWarn().addKeyValue("unset", flags).log(StartupWarning.MESSAGE));
        long line = gate.cap(Resource.CONNECTION, Entry.FULL).max();
        long web = gate.cap(Resource.HTTP_CONNECTION, Entry.FULL).max();
        if (2 * line < config.caps(Resource.CONNECTION).total()
                || 2 * web < config.caps(Resource.HTTP_CONNECTION).total()) {
            LoggingEventBuilder few =
                    LOG.atWarn().addKeyValue("open_files", OpenFiles.limit()).addKeyValue("max_connections", line);
            with(few, "http_max_connections", config.http().enabled() ? Optional.of(web) : Optional.empty())
                    .log(StartupWarning.FEW_OPEN_FILES);
        }
    }

    /** Logs that the gateway has ended, and closed its storage, after this many seconds. */
    static void stopped(long uptimeSeconds) {
        LOG.atInfo().addKeyValue("uptime_s", uptimeSeconds).log("stopped");
    }
}
