package io.flockgate.gateway.http;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ServerGroup;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP port: a Vert.x server and a router on each event loop. Thread safe. */
public final class HttpListener {
    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** The size of the kernel's buffer for requests that are not read yet. */
    private static final int READ_BYTES = 32 * 1024;

    /** The size of the kernel's buffer for replies that a client has not yet read. */
    private static final int SEND_BYTES = 64 * 1024;

    private final ServerGroup servers;
    private final GatewayConfig config;
    private final Gate gate;
    private final GatewayMetrics metrics;
    private final Budget budget;
    private final List<HttpLoop> loops = new CopyOnWriteArrayList<>();

    public HttpListener(ServerGroup servers, GatewayConfig config, Gate gate, GatewayMetrics metrics, Budget budget) {
        this.servers = servers;
        this.config = config;
        this.gate = gate;
        this.metrics = metrics;
        this.budget = budget;
    }

    /**
     * Starts listening; the future completes with the bound port.
     *
     * @param declare adds the routes of an event loop, on that event loop
     */
    public Future<Integer> listen(BiConsumer<EventLoop, Routes> declare) {
        long readTimeout = config.tcp().readTimeout().toNanos();
        // A negative number means a free port. It must differ from the line protocol's, or both
        // would share one port.
        int port = config.http().port() < 0
                ? ServerGroup.FREE_PORT - 1
                : config.http().port();
        return servers.listen(config.http().host(), port, loop -> {
            HttpLoop shared = new HttpLoop(loop, readTimeout, metrics, Router.router(servers.vertx()), budget);
            declare.accept(loop, shared.routes);
            loops.add(shared);
            return server(shared);
        });
    }

    private ServerGroup.Server server(HttpLoop shared) {
        HttpServer server = servers.vertx()
                .createHttpServer(options())
                .connectionHandler(shared::accept)
                .invalidRequestHandler(shared::handleInvalid)
                // Vert.x requires one, although each connection has its own.
                .requestHandler(ignored -> {});
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host).map(HttpServer::actualPort),
                server::updateSSLOptions,
                server::shutdown);
    }

    private HttpServerOptions options() {
        HttpServerOptions options = servers.configure(
                new HttpServerOptions(),
                READ_BYTES,
                SEND_BYTES,
                // Vert.x cannot close a connection whose client reads nothing, but the kernel can.
                config.tcp().writeTimeout());
        return options.setHttp2ClearTextEnabled(false)
                .setStrictThreadMode(true)
                .setMaxInitialLineLength(HttpLoop.HEADS.getMaxInitialLineLength())
                .setMaxHeaderSize(HttpLoop.HEADS.getMaxHeaderSize());
    }

    /**
     * Makes each answer from now on the last of its connection. Completes when all requests that
     * have arrived are read.
     */
    public Future<Void> drain() {
        List<Future<Void>> draining = new ArrayList<>();
        for (HttpLoop shared : loops) {
            Promise<Void> read = Promise.promise();
            draining.add(read.future());
            shared.loop.post(() -> {
                shared.drain();
                // The event loop reads what has arrived before it runs a timer.
                shared.loop.after(1, read::complete);
            });
        }
        return Future.join(draining).mapEmpty();
    }

    /**
     * Stops listening, and ends each connection: idle ones at once, others after their answer or at
     * the timeout. A timeout of zero waits indefinitely. The future completes when the last one has
     * ended.
     */
    public Future<Void> shutdown(Duration timeout) {
        return servers.shutdown(
                timeout,
                () -> LOG.atWarn()
                        .addKeyValue("connections", gate.count(Resource.HTTP_CONNECTION))
                        .log("shutdown timeout reached, force-closing http connections"));
    }
}
