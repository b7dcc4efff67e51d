package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.LockConfig;
import io.flockgate.gateway.config.StartupWarning;
import io.flockgate.gateway.session.ConnectionCounter;
import io.flockgate.gateway.session.EventLoop;
import io.flockgate.gateway.tcp.TcpServer;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: storage and listeners, started and stopped in order. The only place where the parts meet. Thread safe.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** How long Netty goes on with tasks before it reads again; its least, where it would take a second. */
    private static final String MOST_TASK_MILLIS = "io.netty.eventLoop.maxTaskProcessingQuantumMs";

    private final GatewayConfig config;
    private final Vertx vertx;
    private final LockStorage storage;
    private final TcpServer tcp;
    private final int port;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final Promise<Void> stopped = Promise.promise();

    private Gateway(GatewayConfig config, Vertx vertx, LockStorage storage, TcpServer tcp, int port) {
        this.config = config;
        this.vertx = vertx;
        this.storage = storage;
        this.tcp = tcp;
        this.port = port;
    }

    /** Fails with {@link StartException}; nothing is left running then. */
    public static Future<Gateway> start(GatewayConfig config) {
        if (System.getProperty(MOST_TASK_MILLIS) == null) {
            // Each new connection is a task: ten thousand at once would keep those already there waiting.
            System.setProperty(MOST_TASK_MILLIS, "100");
        }
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(config.tcp().eventLoops())
                .setBlockedThreadCheckInterval(Duration.ofHours(1).toMillis()));
        return openStorage(config, vertx)
                .compose(storage -> listen(config, vertx, storage))
                .recover(cause -> vertx.close().transform(ignored -> Future.failedFuture(cause)));
    }

    private static Future<LockStorage> openStorage(GatewayConfig config, Vertx vertx) {
        for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
            if (provider.name().equals(config.storage().name())) {
                return provider.open(settings(config.locks(), vertx))
                        .recover(cause -> Future.failedFuture(StartException.storage(cause)));
            }
        }
        return Future.failedFuture(StartException.noStorage(config.storage().name()));
    }

    private static StorageSettings settings(LockConfig locks, Vertx vertx) {
        return new StorageSettings(
                vertx,
                EventLoop::time,
                locks.maxLocks(),
                locks.maxWaiters(),
                locks.sweepInterval(),
                locks.gcInterval(),
                locks.gcMaxIdle(),
                locks.fenceStateFile(),
                Map.of());
    }

    private static Future<Gateway> listen(GatewayConfig config, Vertx vertx, LockStorage storage) {
        ConnectionCounter counter = new ConnectionCounter(
                config.tcp().maxConnections(), config.tcp().maxConnectionsPerIp());
        TcpServer tcp = new TcpServer(vertx, config, storage, counter, new AtomicLong());
        return tcp.listen()
                .map(port -> new Gateway(config, vertx, storage, tcp, port))
                .onSuccess(Gateway::logStart)
                .recover(cause -> storage.close()
                        .transform(ignored -> Future.failedFuture(StartException.listener(
                                address(config, config.tcp().port()), cause))));
    }

    private void logStart() {
        if (config.tls().isPresent()) {
            LOG.info("TLS enabled");
        }
        LOG.atInfo().addKeyValue("addr", address(config, port)).log("listening");
        StartupWarning.unset(config)
                .ifPresent(flags -> LOG.atWarn().addKeyValue("unset", flags).log(StartupWarning.MESSAGE));
    }

    private static String address(GatewayConfig config, int port) {
        String host = config.tcp().host();
        return (host.contains(":") || host.isEmpty() ? "[" + (host.isEmpty() ? "::" : host) + "]" : host) + ":" + port;
    }

    /** Where the line protocol is served. */
    public int port() {
        return port;
    }

    /** Where the REST API is served; 0 when it is not. */
    public int httpPort() {
        return 0;
    }

    /**
     * Lets requests finish, as long as the settings say, then ends everything. Completes when nothing is left; a second
     * call changes nothing and completes then too.
     */
    public Future<Void> stop() {
        if (stopping.compareAndSet(false, true)) {
            end().onComplete(stopped);
        }
        return stopped.future();
    }

    private Future<Void> end() {
        return shutdownDelay()
                .compose(ignored -> {
                    LOG.info("shutting down, draining connections");
                    return tcp.drain(config.shutdownTimeout());
                })
                .eventually(storage::close)
                .eventually(vertx::close);
    }

    /** Not a future of Vert.x's timer: that would end what follows on a thread which Vert.x's own end takes away. */
    private Future<Void> shutdownDelay() {
        if (config.shutdownDelay().isZero()) {
            return Future.succeededFuture();
        }
        Promise<Void> over = Promise.promise();
        vertx.setTimer(config.shutdownDelay().toMillis(), ignored -> over.complete());
        return over.future();
    }
}
