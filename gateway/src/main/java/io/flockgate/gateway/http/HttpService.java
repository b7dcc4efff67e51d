package io.flockgate.gateway.http;

import io.flockgate.gateway.config.AuthToken;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** All that is served over HTTP: the REST API and FleetLock, with the sessions of the former. Thread safe. */
public final class HttpService {
    private static final long LIMITER_SWEEP_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Vertx vertx;
    private final GatewayConfig config;
    private final Surroundings around;
    private final HttpSessions sessions;
    private final Cors cors;
    private final RateLimiter limiter;
    private final HttpListener listener;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    /** What serves FleetLock. */
    public record FleetLockParts(FleetLock protocol, FleetLockAdmin admin, String pathPrefix) {}

    /**
     * The parts of the gateway that the service uses.
     *
     * @param fleetLock null where FleetLock is not served
     * @param connectionIds the last number given to a connection or session of this process
     * @param tcpClients the number of clients of the line protocol
     * @param stopping whether the gateway wants no new work
     */
    public record Surroundings(
            LockStorage storage,
            GatewayMetrics metrics,
            @Nullable FleetLockParts fleetLock,
            AtomicLong connectionIds,
            IntSupplier tcpClients,
            BooleanSupplier stopping) {}

    public HttpService(Vertx vertx, GatewayConfig config, Surroundings around) {
        this.vertx = vertx;
        this.config = config;
        this.around = around;
        this.sessions = new HttpSessions(
                config, around.storage(), around.connectionIds(), around.metrics(), new SecureRandom());
        this.cors = new Cors(config.http().corsAllowedOrigins());
        this.limiter =
                new RateLimiter(config.http().rateLimitPerIp(), config.http().rateLimitBurst());
        this.listener = new HttpListener(vertx, config, around.metrics());
    }

    /** Begins to listen; the future gives the bound port. Reads the files of TLS, which blocks. */
    public Future<Integer> listen() {
        return listener.listen(this::handler);
    }

    private RequestHandler handler(EventLoop loop) {
        if (sweeping.compareAndSet(false, true)) {
            sweepSessions(loop);
            sweepLimiter(loop);
        }
        Optional<AuthToken> token = config.auth();
        FailureReplies failures = new FailureReplies(loop, around.metrics());
        FleetLockParts fleetLock = around.fleetLock();
        RequestFilter rest = new RequestFilter(cors, limiter, token, failures, operations(loop, failures));
        return fleetLock == null
                ? rest
                : new FleetLockHandler(
                        loop, failures, limiter, token, fleetLock.protocol(), fleetLock.pathPrefix(), rest);
    }

    private Operations operations(EventLoop loop, FailureReplies failures) {
        FleetLockParts fleetLock = around.fleetLock();
        return new Operations(
                loop,
                failures,
                sessions,
                new Reports(
                        loop,
                        around.metrics(),
                        around.storage(),
                        sessions,
                        () -> around.tcpClients().getAsInt() + sessions.count(),
                        around.stopping()),
                new LockBodies(config.locks().defaultLease().toSeconds()),
                new FleetLockOperations(loop, failures, fleetLock == null ? null : fleetLock.admin()),
                config.http().sessionIdleTimeout().toSeconds());
    }

    private void sweepSessions(EventLoop loop) {
        loop.after(sessions.sweepIntervalMillis(), () -> {
            sessions.sweep(loop);
            sweepSessions(loop);
        });
    }

    private void sweepLimiter(EventLoop loop) {
        loop.after(LIMITER_SWEEP_MILLIS, () -> {
            limiter.sweep(loop.now());
            sweepLimiter(loop);
        });
    }

    /**
     * Stops listening, ends all sessions, whose calls under way are answered, and then all connections: idle ones at once,
     * others with their answer or after the timeout. A timeout of zero waits for ever. The future completes when all that is
     * over.
     */
    public Future<Void> drain(Duration timeout) {
        return listener.drain().transform(ignored -> {
            Future<Void> ended = inTime(sessions.endAll(), timeout);
            return Future.join(ended, listener.shutdown(timeout)).mapEmpty();
        });
    }

    /** Completes with the future, or at the timeout if that is not zero. */
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

    /** The number of open connections. */
    public int connections() {
        return listener.connections();
    }

    /** The number of sessions. */
    public int sessions() {
        return sessions.count();
    }
}
