package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.options.Arguments;
import io.flockgate.options.Option;
import io.flockgate.storage.StorageSettings.StorageLimits;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Warns at the start of settings that let strangers use or harm the gateway. */
public final class StartupWarning {
    /** The message; its attribute is {@code unset}. */
    public static final String MESSAGE =
            "running without one or more resource limits set;" + " not recommended when reachable by untrusted clients";

    /** The message; its attribute is {@code reachable}. */
    public static final String NO_TOKEN =
            "other hosts can reach this gateway, and it asks for no token: set --tokens-file or --auth-token-file";

    /** The message; it has no attribute. */
    public static final String SHORT_TOKEN =
            "the auth token has fewer than " + Secrets.SAFE_CHARACTERS + " characters, so that it can be guessed";

    /** The message; its attributes are {@code open_files} and the caps that are left. */
    public static final String FEW_OPEN_FILES =
            "the limit on open files is too small for the caps on connections, so they are lowered: raise the limit";

    /** The message; its attribute is {@code variables}. */
    public static final String SERVICE_LINKS =
            "ignored: Kubernetes has set this for a Service of that name: set enableServiceLinks: false for the pod";

    private StartupWarning() {}

    /**
     * The variables that would set a port but are service links of Kubernetes, separated by spaces;
     * empty when there are none.
     */
    public static Optional<String> serviceLinks(Map<String, String> environment) {
        return Stream.of(GatewayOptions.PORT, GatewayOptions.HTTP_PORT)
                .map(Option::variable)
                .filter(name -> Arguments.isServiceLink(name, environment.getOrDefault(name, "")))
                .reduce((one, other) -> one + " " + other);
    }

    /**
     * The flags of the listeners that other hosts can reach without a token or a certificate,
     * separated by spaces. Empty when there are none.
     */
    public static Optional<String> withoutToken(GatewayConfig config) {
        if (config.auth().isRequired()
                || config.tls().filter(TlsConfig::isCertificateRequired).isPresent()) {
            return Optional.empty();
        }
        List<String> flags = new ArrayList<>();
        if (!isLoopback(config.tcp().host())) {
            flags.add(GatewayOptions.HOST.dashed());
        }
        if (config.http().enabled() && !isLoopback(config.http().host())) {
            flags.add(GatewayOptions.HTTP_HOST.dashed());
        }
        return flags.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", flags));
    }

    /**
     * The flags of the limits that are 0, separated by spaces. Empty when no limit is 0, or when
     * all listeners are on loopback addresses.
     */
    public static Optional<String> unset(GatewayConfig config) {
        HttpConfig http = config.http();
        boolean reachable = !isLoopback(config.tcp().host()) || (http.enabled() && !isLoopback(http.host()));
        if (!reachable) {
            return Optional.empty();
        }
        List<String> flags = new ArrayList<>(unset(config, Resource.CONNECTION));
        StorageLimits limits = config.locks().limits();
        if (limits.maxHolders() == 0) {
            flags.add(GatewayOptions.MAX_HOLDERS.dashed());
        }
        if (limits.maxWaiters() == 0) {
            flags.add(GatewayOptions.MAX_WAITERS.dashed());
        }
        if (http.enabled()) {
            flags.addAll(unset(config, Resource.SESSION));
            flags.addAll(unset(config, Resource.HTTP_CONNECTION));
        }
        return flags.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", flags));
    }

    private static List<String> unset(GatewayConfig config, Resource resource) {
        return resource.unset(config.caps(resource)).toList();
    }

    /**
     * The name localhost or a literal loopback address. Other names are not looked up and count as
     * reachable.
     */
    private static boolean isLoopback(String host) {
        if (host.equals("localhost")) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
