package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Entry;
import io.flockgate.gateway.limits.Gate.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lowers the caps on connections to what the limit on open files allows. Without a free descriptor
 * a process accepts no connection on either port, loads no further class and shortens no journal.
 */
final class OpenFiles {
    /**
     * For libraries, journals, the connections to Consul, and connections that were accepted but
     * not yet counted.
     */
    private static final long RESERVE = 1_000;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files +(\\d+)");

    private OpenFiles() {}

    /** This process's limit on open files; empty if there is none, or the system is not Linux. */
    static OptionalLong limit() {
        try {
            Matcher soft = SOFT_LIMIT.matcher(Files.readString(LIMITS));
            return soft.find() ? OptionalLong.of(Long.parseLong(soft.group(1))) : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * The configured caps on the connections to both ports, lowered to fit the limit if need be.
     * HTTP may have half of what there is, and the line protocol the rest. A cap of 0 becomes what
     * is left.
     */
    static Map<Resource, Caps> caps(GatewayConfig config, OptionalLong limit) {
        TcpConfig tcp = config.tcp();
        HttpConfig http = config.http();
        Caps line = new Caps(tcp.maxConnections(), tcp.maxConnectionsPerIp());
        Caps web = new Caps(http.maxConnections(), http.maxConnectionsPerIp());
        if (limit.isPresent()) {
            long room = limit.getAsLong() - Math.min(RESERVE, limit.getAsLong() / 2);
            if (http.enabled()) {
                web = fit(web, room / 2);
                room -= web.total();
            }
            line = fit(line, room);
        }
        return Map.of(Resource.CONNECTION, line, Resource.HTTP_CONNECTION, web);
    }

    /** Of a lowered cap one address may have three quarters, so that it cannot reach it alone. */
    private static Caps fit(Caps caps, long room) {
        if (caps.total() != 0 && caps.total() <= room) {
            return caps;
        }
        return new Caps(room, caps.perPeer() == 0 ? 0 : Math.min(caps.perPeer(), Math.max(1, room / 4 * 3)));
    }

    /** Whether a cap was lowered to less than half, so that operators should know. */
    static boolean lowersMuch(GatewayConfig config, Gate gate) {
        return 2 * gate.max(Resource.CONNECTION, Entry.FULL) < config.tcp().maxConnections()
                || 2 * gate.max(Resource.HTTP_CONNECTION, Entry.FULL)
                        < config.http().maxConnections();
    }
}
