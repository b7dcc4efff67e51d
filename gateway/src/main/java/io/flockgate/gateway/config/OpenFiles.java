package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lowers the caps on connections to what the limit on open files allows. Without a free descriptor
 * a process accepts no connection on either port, loads no further class and shortens no journal.
 */
public final class OpenFiles {
    /**
     * For libraries, journals, the connections to Consul, and connections that were accepted but
     * not yet counted.
     */
    private static final long RESERVE = 1_000;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files +(\\d+)");

    private OpenFiles() {}

    /** This process's limit on open files; empty if there is none, or the system is not Linux. */
    public static OptionalLong limit() {
        try {
            Matcher soft = SOFT_LIMIT.matcher(Files.readString(LIMITS));
            return soft.find() ? OptionalLong.of(Long.parseLong(soft.group(1))) : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * The configuration with caps on connections that fit the limit, lowered if need be. HTTP may
     * have half of what there is, and the line protocol the rest. A cap of 0 becomes what is left.
     */
    public static GatewayConfig fit(GatewayConfig config, OptionalLong limit) {
        if (limit.isEmpty()) {
            return config;
        }
        long room = limit.getAsLong() - Math.min(RESERVE, limit.getAsLong() / 2);
        TcpConfig tcp = config.tcp();
        HttpConfig http = config.http();
        if (http.enabled()) {
            long web = atMost(room / 2, http.maxConnections());
            room -= web;
            http = web == http.maxConnections() ? http : http.withCaps(web, perPeer(http.maxConnectionsPerIp(), web));
        }
        long line = atMost(room, tcp.maxConnections());
        tcp = line == tcp.maxConnections() ? tcp : tcp.withCaps(line, perPeer(tcp.maxConnectionsPerIp(), line));
        return config.with(tcp, http);
    }

    private static long atMost(long room, long cap) {
        return cap == 0 ? room : Math.min(cap, room);
    }

    /** Three quarters of a lowered cap, so that one address cannot reach it alone. */
    private static long perPeer(long cap, long total) {
        return cap == 0 ? 0 : Math.min(cap, Math.max(1, total / 4 * 3));
    }

    /** Whether a cap was lowered to less than half, so that operators should know. */
    public static boolean lowersMuch(GatewayConfig configured, GatewayConfig fitting) {
        return 2 * fitting.tcp().maxConnections() < configured.tcp().maxConnections()
                || 2 * fitting.http().maxConnections() < configured.http().maxConnections();
    }
}
