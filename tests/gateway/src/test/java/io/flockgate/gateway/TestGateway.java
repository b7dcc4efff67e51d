package io.flockgate.gateway;

import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A server in this process, on its own ports. Closing it ends the remaining connections at once.
 */
public final class TestGateway implements AutoCloseable {
    private final Gateway gateway;

    private TestGateway(Gateway gateway) {
        this.gateway = gateway;
    }

    /** A server of the line protocol with these flags; the last one given counts. */
    public static TestGateway start(String... flags) {
        return start(config(flags));
    }

    /** The same, with this budget for the bytes that clients make it keep. */
    public static TestGateway start(Budget budget, String... flags) {
        return new TestGateway(Gateway.start(config(flags), budget).await());
    }

    /** The same, with the REST API as well. */
    public static TestGateway startWithHttp(String... flags) {
        GatewayConfig config = config(withPort(flags));
        return start(new GatewayConfig(
                config.tcp(),
                config.locks(),
                config.nodeName(),
                config.storage(),
                config.tls(),
                config.auth(),
                onAnyPort(config.http()),
                config.caps(),
                config.fleetLock(),
                config.shutdownTimeout(),
                config.shutdownDelay(),
                config.logGrants(),
                config.debug()));
    }

    /** Some settings require an HTTP server, whose port is chosen later. */
    private static String[] withPort(String... flags) {
        return Stream.concat(Stream.of("--http-port=65535"), Stream.of(flags)).toArray(String[]::new);
    }

    private static TestGateway start(GatewayConfig config) {
        return new TestGateway(Gateway.start(config).await());
    }

    private static GatewayConfig config(String... flags) {
        List<String> args = new ArrayList<>(List.of("--port=0", "--shutdown-timeout=1"));
        args.addAll(List.of(flags));
        if (CommandLine.read(args, Map.of()) instanceof Invocation.Serve serve) {
            return serve.config();
        }
        throw new IllegalArgumentException("no server comes of " + args);
    }

    /** Port -1 means any free port, which no flag can request because 0 means "off". */
    private static HttpConfig onAnyPort(HttpConfig http) {
        return new HttpConfig(
                http.host(),
                -1,
                http.sessionIdleTimeout(),
                http.rateLimitPerIp(),
                http.rateLimitBurst(),
                http.allowedHosts(),
                http.corsAllowedOrigins(),
                http.page(),
                http.pageUrl());
    }

    public int port() {
        return gateway.port();
    }

    public int httpPort() {
        return gateway.httpPort();
    }

    /** A new connection of the line protocol. */
    public LineClient client() throws IOException {
        return LineClient.connect(port());
    }

    public Gateway gateway() {
        return gateway;
    }

    @Override
    public void close() {
        gateway.stop().await();
    }
}
