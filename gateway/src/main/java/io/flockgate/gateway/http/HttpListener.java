package io.flockgate.gateway.http;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ConnectionCounter;
import io.flockgate.gateway.net.RefusedClients;
import io.flockgate.gateway.net.ServerGroup;
import io.flockgate.gateway.net.Times;
import io.flockgate.gateway.net.Tls;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.TcpOption;
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
    private static final int BACKLOG = 4096;

    private final Vertx vertx;
    private final GatewayConfig config;
    private final @Nullable Tls tls;
    private final GatewayMetrics metrics;
    private final Handler<Throwable> failed;
    private final ConnectionCounter counter;
    private final RefusedClients refused;
    private final ServerGroup servers;
    private final List<HttpLoop> loops = new CopyOnWriteArrayList<>();

    /**
     * @param tls null for a port without TLS
     * @param failed receives the failures of connections before their first request, such as in the
     *     TLS handshake
     */
    public HttpListener(
            Vertx vertx, GatewayConfig config, @Nullable Tls tls, GatewayMetrics metrics, Handler<Throwable> failed) {
        this.failed = failed;
        this.vertx = vertx;
        this.config = config;
        this.tls = tls;
        this.metrics = metrics;
        this.counter = new ConnectionCounter(
                config.http().maxConnections(), config.http().maxConnectionsPerIp());
        this.refused = new RefusedClients(
                LOG,
                "connections",
                "--http-max-connections",
                counter,
                group -> RefusedClients.sum(loops, HttpLoop::loop, shared -> shared.countIdle(group)));
        this.servers = new ServerGroup(vertx);
    }

    /**
     * Starts listening; the future completes with the bound port.
     *
     * @param declare adds the routes of an event loop, on that event loop
     * @param errors the replies to failures before a route is found
     */
    public Future<Integer> listen(BiConsumer<EventLoop, Routes> declare, ErrorReplies errors) {
        HttpLimits limits = HttpLimits.of(config.tcp().readTimeout());
        // A negative number means a free port. It must differ from the line protocol's, or both
        // would share one port.
        int port = config.http().port() < 0
                ? ServerGroup.FREE_PORT - 1
                : config.http().port();
        return servers.listen(config.http().host(), port, config.tcp().eventLoops(), loop -> {
            HttpLoop shared = new HttpLoop(
                    loop,
                    limits,
                    tls,
                    metrics,
                    counter,
                    refused,
                    Router.router(vertx),
                    errors,
                    failed,
                    config.tcp().eventLoops());
            declare.accept(loop, shared.routes());
            loops.add(shared);
            return server(shared);
        });
    }

    private ServerGroup.Server server(HttpLoop shared) {
        HttpServer server = vertx.createHttpServer(options())
                .exceptionHandler(failed)
                .connectionHandler(shared::accept)
                .invalidRequestHandler(shared::handleInvalid)
                .requestHandler(shared::handle);
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host).map(HttpServer::actualPort), server::shutdown);
    }

    private HttpServerConfig options() {
        HttpServerConfig options = new HttpServerConfig()
                .setVersions(HttpVersion.HTTP_1_0, HttpVersion.HTTP_1_1)
                .setStrictThreadMode(true)
                .setHttp1Config(new Http1ServerConfig()
                        .setMaxInitialLineLength(HttpLimits.MAX_LINE_BYTES)
                        .setMaxHeaderSize(HttpLimits.MAX_HEAD_BYTES));
        options.getTcpConfig().setAcceptBacklog(BACKLOG);
        options.getTcpConfig()
                .getTransportConfig()
                .setOption(TcpOption.NODELAY, true)
                .setSoKeepAlive(true)
                .setReuseAddress(true)
                .setReceiveBufferSize(HttpLimits.READ_BYTES)
                .setSendBufferSize(HttpLimits.SEND_BYTES)
                // Vert.x cannot close a connection whose client reads nothing, but the kernel can.
                .setOption(TcpOption.USER_TIMEOUT, millis(config.tcp().writeTimeout()));
        return options;
    }

    private static int millis(Duration timeout) {
        return (int) Math.min(Times.nanos(timeout) / 1_000_000, Integer.MAX_VALUE);
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
                shared.resources().drain();
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
                        .addKeyValue("connections", counter.total())
                        .log("shutdown timeout reached, force-closing http connections"));
    }

    /** The number of open connections. */
    public int connections() {
        return counter.total();
    }
}
