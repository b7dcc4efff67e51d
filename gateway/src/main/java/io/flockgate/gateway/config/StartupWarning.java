package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Warns at the start when other hosts can reach a listener and resources are unlimited. */
public final class StartupWarning {
    /** The message; its attribute is {@code unset}. */
    public static final String MESSAGE =
            "running without one or more resource limits set;" + " not recommended when reachable by untrusted clients";

    private StartupWarning() {}

    /**
     * The flags of the limits that are 0, separated by spaces. Empty when no limit is 0, or when all listeners are on
     * loopback addresses.
     */
    public static Optional<String> unset(GatewayConfig config) {
        HttpConfig http = config.http();
        boolean reachable = !isLoopback(config.tcp().host()) || (http.enabled() && !isLoopback(http.host()));
        if (!reachable) {
            return Optional.empty();
        }
        List<String> flags = limits(config).entrySet().stream()
                .filter(limit -> limit.getValue() == 0)
                .map(limit -> limit.getKey().dashed())
                .toList();
        return flags.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", flags));
    }

    private static Map<Option<Long>, Long> limits(GatewayConfig config) {
        HttpConfig http = config.http();
        Map<Option<Long>, Long> limits = new LinkedHashMap<>();
        limits.put(GatewayOptions.MAX_CONNECTIONS, config.tcp().maxConnections());
        limits.put(GatewayOptions.MAX_CONNECTIONS_PER_IP, config.tcp().maxConnectionsPerIp());
        limits.put(GatewayOptions.MAX_WAITERS, config.locks().maxWaiters());
        if (http.enabled()) {
            limits.put(GatewayOptions.HTTP_MAX_SESSIONS, http.maxSessions());
            limits.put(GatewayOptions.HTTP_MAX_SESSIONS_PER_IP, http.maxSessionsPerIp());
            limits.put(GatewayOptions.HTTP_MAX_CONNECTIONS_PER_IP, http.maxConnectionsPerIp());
            limits.put(GatewayOptions.HTTP_RATE_LIMIT, http.rateLimitPerIp());
        }
        return limits;
    }

    /** The name localhost or a literal loopback address. Other names are not looked up and count as reachable. */
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
