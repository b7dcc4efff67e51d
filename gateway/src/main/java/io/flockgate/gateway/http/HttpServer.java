package io.flockgate.gateway.http;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ConnectionCounter;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.flockgate.gateway.net.Listener;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The REST API's server: serves connections, each on its event loop, and ends its sessions in the end. Thread safe. */
public final class HttpServer {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    /** Vert.x's word for a free port, another than that of the line protocol. */
    private static final int FREE_PORT = -2;

    private static final long LIMITER_SWEEP_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Vertx vertx;
    private final Parts parts;
    private final ConnectionCounter counter;
    private final Listener listener;
    private final List<HttpWorker> workers = new CopyOnWriteArrayList<>();

    /** What the workers of all event loops share. */
    record Parts(
            GatewayConfig config,
            LockStorage storage,
            HttpSessions sessions,
            GatewayMetrics metrics,
            HttpLimits limits,
            Cors cors,
            RateLimiter limiter,
            @Nullable FleetLockParts fleetLock,
            IntSupplier clients,
            BooleanSupplier stopping) {}

    /** What serves FleetLock, where it is served. */
    public record FleetLockParts(FleetLock protocol, FleetLockAdmin admin, String pathPrefix) {}

    /**
     * What the rest of the gateway lends to the server.
     *
     * @param fleetLock null where it is not served
     * @param connectionIds the last number given to a connection or session of this process
     * @param tcpClients how many clients the line protocol has
     * @param stopping whether the gateway wants no new work
     */
    public record Surroundings(
            LockStorage storage,
            GatewayMetrics metrics,
            @Nullable FleetLockParts fleetLock,
            AtomicLong connectionIds,
            IntSupplier tcpClients,
            BooleanSupplier stopping) {}

    public HttpServer(Vertx vertx, GatewayConfig config, Surroundings around) {
        this.vertx = vertx;
        this.counter = new ConnectionCounter(0, config.http().maxConnectionsPerIp());
        HttpSessions sessions = new HttpSessions(
                config, around.storage(), around.connectionIds(), around.metrics(), new SecureRandom());
        this.parts = new Parts(
                config,
                around.storage(),
                sessions,
                around.metrics(),
                HttpLimits.of(config.tcp().readTimeout()),
                new Cors(config.http().corsAllowedOrigins()),
                new RateLimiter(config.http().rateLimitPerIp(), config.http().rateLimitBurst()),
                around.fleetLock(),
                () -> around.tcpClients().getAsInt() + sessions.count(),
                around.stopping());
        this.listener = new Listener(vertx, options(config), counter, this::refused);
    }

    private static Listener.Options options(GatewayConfig config) {
        return new Listener.Options(
                config.http().host(),
                config.http().port() < 0 ? FREE_PORT : config.http().port(),
                config.tcp().eventLoops(),
                config.tls().orElse(null),
                config.tcp().readTimeout());
    }

    private void refused(Entry ignored) {
        parts.metrics().refused("http_max_connections_per_ip");
    }

    /** Begins to listen; the port it has got, or the reason why not. Reads the files of TLS, which blocks. */
    public Future<Integer> listen() {
        return listener.listen(this::worker);
    }

    private Listener.Acceptor worker(EventLoop loop) {
        HttpWorker worker = new HttpWorker(loop, parts);
        if (workers.isEmpty()) {
            sweepSessions(loop);
            sweepLimiter(loop);
        }
        workers.add(worker);
        return worker::accept;
    }

    private void sweepSessions(EventLoop loop) {
        loop.after(parts.sessions().sweepIntervalMillis(), () -> {
            parts.sessions().sweep(loop);
            sweepSessions(loop);
        });
    }

    private void sweepLimiter(EventLoop loop) {
        loop.after(LIMITER_SWEEP_MILLIS, () -> {
            parts.limiter().sweep(loop.now());
            sweepLimiter(loop);
        });
    }

    /**
     * Stops listening, ends all sessions, whose calls under way are answered, and then all connections: idle ones at once,
     * others with their answer or after the timeout; zero waits for ever. The future completes when all that is over.
     */
    public Future<Void> drain(Duration timeout) {
        List<Future<Void>> telling = new ArrayList<>();
        for (HttpWorker worker : workers) {
            telling.add(worker.loop().run(worker::drain));
        }
        return Future.join(telling).transform(ignored -> {
            Future<Void> sessions = inTime(parts.sessions().endAll(), timeout);
            return Future.join(sessions, listener.shutdown(timeout, this::endAll))
                    .mapEmpty();
        });
    }

    /** Not longer than that, if it is not zero. */
    private Future<Void> inTime(Future<Void> ending, Duration timeout) {
        if (timeout.isZero()) {
            return ending;
        }
        Promise<Void> over = Promise.promise();
        long timer = vertx.setTimer(Math.min(timeout.toMillis(), Integer.MAX_VALUE), ignored -> over.tryComplete());
        ending.onComplete(ignored -> {
            vertx.cancelTimer(timer);
            over.tryComplete();
        });
        return over.future();
    }

    private void endAll() {
        LOG.atWarn()
                .addKeyValue("connections", counter.total())
                .log("shutdown timeout reached, force-closing http connections");
        for (HttpWorker worker : workers) {
            worker.loop().post(worker::closeAll);
        }
    }

    /** How many connections there are. */
    public int connections() {
        return counter.total();
    }

    /** How many sessions there are. */
    public int sessions() {
        return parts.sessions().count();
    }
}
