package io.flockgate.gateway.config;

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
     * not yet counted, which are at most 256 for each port.
     */
    private static final long RESERVE = 1_000;

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files +(\\d+) .*");

    private OpenFiles() {}

    /** This process's limit on open files; empty if there is none, or the system is not Linux. */
    public static OptionalLong limit() {
        try {
            return Files.readAllLines(LIMITS).stream()
                    .map(SOFT_LIMIT::matcher)
                    .filter(Matcher::matches)
                    .mapToLong(line -> Long.parseLong(line.group(1)))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * The configuration with caps on connections that fit the limit, lowered if need be. Each port
     * may have half of what there is, and what the other leaves. A cap of 0 wants all there is.
     *
     * @param heapBytes the heap, of which the number of concurrent TLS handshakes is a share
     */
    public static GatewayConfig fit(GatewayConfig config, OptionalLong limit, long heapBytes) {
        return limit.isEmpty() ? config : fit(config, available(config, limit.getAsLong(), heapBytes));
    }

    /** Handshakes of the HTTP port come before its cap, and those of the line protocol after. */
    private static long available(GatewayConfig config, long limit, long heapBytes) {
        boolean uncounted = config.tls().isPresent() && config.http().enabled();
        long reserve = RESERVE + (uncounted ? HeapAccount.handshakes(heapBytes) : 0);
        return limit - Math.min(reserve, limit / 2);
    }

    private static GatewayConfig fit(GatewayConfig config, long available) {
        TcpConfig tcp = config.tcp();
        HttpConfig http = config.http();
        long line = atMost(available, tcp.maxConnections());
        long web = http.enabled() ? atMost(available, http.maxConnections()) : 0;
        long webFits = Math.min(web, Math.max(available - line, available / 2));
        long lineFits = Math.min(line, available - webFits);
        return config.with(lowered(tcp, lineFits), web == 0 ? http : lowered(http, webFits));
    }

    private static long atMost(long available, long cap) {
        return cap == 0 ? available : Math.min(cap, available);
    }

    private static TcpConfig lowered(TcpConfig tcp, long max) {
        return tcp.withCaps(max, perIp(tcp.maxConnectionsPerIp(), tcp.maxConnections(), max));
    }

    private static HttpConfig lowered(HttpConfig http, long max) {
        return http.withCaps(max, perIp(http.maxConnectionsPerIp(), http.maxConnections(), max));
    }

    /** Three quarters of a lowered cap, so that one address cannot reach it alone. */
    private static long perIp(long cap, long maxBefore, long max) {
        boolean lowered = maxBefore != max;
        boolean meant = cap != 0 && (maxBefore == 0 || cap < maxBefore);
        return lowered && meant ? Math.min(cap, Math.max(1, max / 4 * 3)) : cap;
    }

    /** Whether a cap was lowered to less than half, so that operators should know. */
    public static boolean lowersMuch(GatewayConfig configured, GatewayConfig fitting) {
        return 2 * fitting.tcp().maxConnections() < configured.tcp().maxConnections()
                || 2 * fitting.http().maxConnections() < configured.http().maxConnections();
    }

    /** The caps on connections as flags, for a warning. */
    public static String caps(GatewayConfig config) {
        String line =
                GatewayOptions.MAX_CONNECTIONS.dashed() + "=" + config.tcp().maxConnections();
        HttpConfig http = config.http();
        return http.enabled()
                ? line + " " + GatewayOptions.HTTP_MAX_CONNECTIONS.dashed() + "=" + http.maxConnections()
                : line;
    }
}
