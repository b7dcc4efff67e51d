package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
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

    private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files +(\\d+)");

    private OpenFiles() {}

    /** This process's limit on open files; 0 if there is none, or the system is not Linux. */
    static long limit() {
        try {
            Matcher soft = SOFT_LIMIT.matcher(Files.readString(Path.of("/proc/self/limits")));
            return soft.find() ? Long.parseLong(soft.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * The configured caps, of which those on the connections to both ports are lowered to fit the
     * limit if need be. HTTP may have half of what there is, and the line protocol the rest. A cap
     * of 0 becomes what is left.
     */
    static Map<Resource, Caps> caps(GatewayConfig config, long limit) {
        Map<Resource, Caps> caps = new EnumMap<>(config.caps());
        if (limit > 0) {
            long room = limit - Math.min(RESERVE, limit / 2);
            if (config.http().enabled()) {
                Caps web = fit(config.caps(Resource.HTTP_CONNECTION), room / 2);
                caps.put(Resource.HTTP_CONNECTION, web);
                room -= web.total();
            }
            caps.put(Resource.CONNECTION, fit(config.caps(Resource.CONNECTION), room));
        }
        return caps;
    }

    /** Of a lowered cap one address may have three quarters, so that it cannot reach it alone. */
    private static Caps fit(Caps caps, long room) {
        if (caps.total() != 0 && caps.total() <= room) {
            return caps;
        }
        return new Caps(room, caps.perPeer() == 0 ? 0 : Math.min(caps.perPeer(), Math.max(1, room / 4 * 3)));
    }
}
