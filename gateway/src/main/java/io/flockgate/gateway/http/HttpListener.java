package io.flockgate.gateway.http;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.Certificates;
import io.flockgate.gateway.net.ServerGroup;
import io.flockgate.gateway.net.Times;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP port: a Vert.x server and a router on each event loop. Thread safe. */
public final class HttpListener {
    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** The size of the kernel's buffer for requests that are not read yet. */
    private static final int READ_BYTES = 32 * 1024;

    /** The size of the kernel's buffer for replies that a client has not yet read. */
    private static final int SEND_BYTES = 64 * 1024;

    private final Vertx vertx;
    private final GatewayConfig config;
    private final @Nullable Certificates certificates;
    private final GatewayMetrics metrics;
    private final Budget budget;
    private final Gate gate;
    private final ServerGroup servers;
    private final List<HttpLoop> loops = new CopyOnWriteArrayList<>();

    /**
     * @param certificates null for a port without TLS
     */
    public HttpListener(
            Vertx vertx,
            GatewayConfig config,
            Gate gate,
            @Nullable Certificates certificates,
            GatewayMetrics metrics,
            Budget budget) {
        this.budget = budget;
        this.vertx = vertx;
        this.config = config;
        this.certificates = certificates;
        this.metrics = metrics;
        this.gate = gate;
        this.servers = new ServerGroup(vertx);
    }

    /**
     * Starts listening; the future completes with the bound port.
     *
     * @param declare adds the routes of an event loop, on that event loop
     */
    public Future<Integer> listen(BiConsumer<EventLoop, Routes> declare) {
        long readTimeout = Times.nanos(config.tcp().readTimeout());
        // A negative number means a free port. It must differ from the line protocol's, or both
        // would share one port.
        int port = config.http().port() < 0
                ? ServerGroup.FREE_PORT - 1
                : config.http().port();
        return servers.listen(config.http().host(), port, config.tcp().eventLoops(), loop -> {
            HttpLoop shared = new HttpLoop(loop, readTimeout, metrics, Router.router(vertx), budget);
            declare.accept(loop, shared.routes());
            loops.add(shared);
            return server(shared);
        });
    }

    private ServerGroup.Server server(HttpLoop shared) {
        HttpServer server = vertx.createHttpServer(options())
                .connectionHandler(shared::accept)
                .invalidRequestHandler(shared::handleInvalid)
                .requestHandler(shared::handle);
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host)
                        .onSuccess(listening -> Certificates.follow(certificates, server::updateSSLOptions))
                        .map(HttpServer::actualPort),
                server::shutdown);
    }

    private HttpServerOptions options() {
        HttpServerOptions options = ServerGroup.configure(
                new HttpServerOptions(),
                READ_BYTES,
                SEND_BYTES,
                // Vert.x cannot close a connection whose client reads nothing, but the kernel can.
                config.tcp().writeTimeout(),
                !config.tcp().proxies().isEmpty(),
                certificates);
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
            shared.loop().post(() -> {
                shared.drain();
                // The event loop reads what has arrived before it runs a timer.
                shared.loop().after(1, read::complete);
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

    /** The number of open connections. */
    public int connections() {
        return gate.count(Resource.HTTP_CONNECTION);
    }
}
