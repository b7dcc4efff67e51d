package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.HttpConfig;
import io.flockgate.gateway.deadlock.DeadlockWatch;
import io.flockgate.gateway.deadlock.Deadlocks;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.http.FleetLockHandler;
import io.flockgate.gateway.fleetlock.http.FleetLockOperations;
import io.flockgate.gateway.http.HttpListener;
import io.flockgate.gateway.http.Routes;
import io.flockgate.gateway.log.RateLimitedLog;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.Tls;
import io.flockgate.gateway.page.PageHandler;
import io.flockgate.gateway.rest.Cors;
import io.flockgate.gateway.rest.EventStreams;
import io.flockgate.gateway.rest.FailureReplies;
import io.flockgate.gateway.rest.KeyScans;
import io.flockgate.gateway.rest.ListingQueue;
import io.flockgate.gateway.rest.LockBodies;
import io.flockgate.gateway.rest.OperatorRoutes;
import io.flockgate.gateway.rest.OriginCheck;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rest.Reports;
import io.flockgate.gateway.rest.RequestFilter;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.gateway.rest.session.HttpSessions;
import io.flockgate.gateway.rest.session.LockOperations;
import io.flockgate.gateway.rest.session.SessionOperations;
import io.flockgate.gateway.rights.AccessControl;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.session.Admission;
import io.flockgate.gateway.session.ClientMemo;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.storage.GatewayView;
import io.flockgate.storage.KeptClient;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assembles and serves the HTTP port: the REST API with its sessions, and FleetLock. Thread safe.
 */
final class HttpService {
    private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);
    private static final long LIMITER_SWEEP_MILLIS = TimeUnit.MINUTES.toMillis(5);

    private final Vertx vertx;
    private final GatewayConfig config;
    private final Surroundings around;
    private final HttpSessions sessions;
    private final KeyScans scans;
    private final Deadlocks deadlocks;
    private final EventStreams streams;
    private final Cors cors;
    private final OriginCheck origins;
    private final RateLimiter limiter;
    private final HttpListener listener;
    private final GatewayView self;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    record FleetLockParts(FleetLock protocol, FleetLockAdmin admin, String pathPrefix) {}

    /**
     * The parts of the gateway that the service uses.
     *
     * @param tls null for a port without TLS
     * @param fleetLock null where FleetLock is not served
     * @param factory creates the sessions of clients
     * @param feed the events of clients
     * @param tcpClients the number of clients of the line protocol
     * @param stopping whether the gateway accepts no new work
     * @param admission whether the gateway accepts new claims
     */
    record Surroundings(
            @Nullable Tls tls,
            LockStorage storage,
            GatewayMetrics metrics,
            @Nullable FleetLockParts fleetLock,
            SessionFactory factory,
            AccessControl access,
            EventFeed feed,
            IntSupplier tcpClients,
            BooleanSupplier stopping,
            Admission admission) {}

    HttpService(Vertx vertx, GatewayConfig config, Surroundings around) {
        this.vertx = vertx;
        this.config = config;
        this.around = around;
        this.self = new GatewayView(
                config.nodeName(),
                Version.text(),
                System.currentTimeMillis() / 1000,
                config.http().pageUrl());
        this.scans = new KeyScans(around.storage());
        this.deadlocks = new Deadlocks(
                around.storage(), scans.executor(), Runtime.getRuntime().maxMemory());
        this.sessions = new HttpSessions(config, around.factory(), new SecureRandom());
        this.streams = new EventStreams(
                around.feed(),
                config.http().maxEventStreams(),
                config.http().maxEventStreamsPerIp(),
                around.metrics(),
                around.access().authenticator()::unchanged);
        this.cors = new Cors(config.http().corsAllowedOrigins());
        this.origins = new OriginCheck(
                config.auth().isRequired(), config.http().host(), config.http().allowedHosts(), cors);
        this.limiter =
                new RateLimiter(config.http().rateLimitPerIp(), config.http().rateLimitBurst());
        registerCaps(around.metrics());
        RateLimitedLog plainClients = new RateLimitedLog(
                LOG,
                "an http client does not speak TLS",
                System::nanoTime,
                (millis, task) -> vertx.setTimer(millis, ignored -> task.run()));
        this.listener = new HttpListener(vertx, config, around.tls(), around.metrics(), failure -> {
            if (Tls.isPlainClient(failure)) {
                plainClients.warn(UnaryOperator.identity());
            }
        });
    }

    private void registerCaps(GatewayMetrics metrics) {
        HttpConfig http = config.http();
        metrics.cap("http_max_connections", this::connections, http.maxConnections());
        metrics.cap("http_max_sessions", sessions::count, http.maxSessions());
        metrics.cap("http_max_pending_calls", sessions::pendingCalls, http.maxPendingCalls());
        metrics.cap("http_max_event_streams", streams::count, http.maxEventStreams());
    }

    /**
     * Restores an HTTP session of the previous process; false if there is no room for it. On this
     * event loop, before {@link #listen}.
     */
    boolean restore(EventLoop loop, KeptClient kept, ClientMemo memo) {
        return sessions.restore(loop, kept, memo);
    }

    /** Starts listening; the future completes with the bound port. */
    Future<Integer> listen() {
        return listener.listen(this::declare, RestReplies.ERRORS).onSuccess(ignored -> watchDeadlocks());
    }

    private void watchDeadlocks() {
        DeadlockWatch watch = new DeadlockWatch(
                deadlocks::find, around.storage()::mayHaveWaiters, System::nanoTime, (millis, task) -> {
                    long unused = vertx.setTimer(millis, ignored -> task.run());
                });
        around.metrics().deadlocks("client", () -> watch.count(false));
        around.metrics().deadlocks("name", () -> watch.count(true));
        watch.start();
    }

    private void declare(EventLoop loop, Routes routes) {
        if (sweeping.compareAndSet(false, true)) {
            sweepSessions(loop);
            sweepLimiter(loop);
        }
        FailureReplies failures = new FailureReplies(loop, around.metrics(), around.access());
        Authenticator token = around.access().authenticator();
        FleetLockParts fleetLock = around.fleetLock();
        ListingQueue listings = new ListingQueue(loop, around.metrics());
        new HttpRoutes(
                        new RequestFilter(cors, origins, limiter, token, failures, loop),
                        reports(loop, listings),
                        new OperatorRoutes(failures, listings, around.storage(), around.admission(), around.feed()),
                        sessionOperations(loop, failures),
                        lockOperations(loop, failures),
                        new FleetLockOperations(failures, listings, fleetLock == null ? null : fleetLock.admin()),
                        config.http().page() ? new PageHandler(loop, limiter, failures) : null,
                        fleetLock == null
                                ? null
                                : new FleetLockHandler(loop, failures, origins, limiter, token, fleetLock.protocol()),
                        fleetLock == null ? "" : fleetLock.pathPrefix())
                .declare(routes);
    }

    private Reports reports(EventLoop loop, ListingQueue listings) {
        return new Reports(
                loop,
                listings,
                around.metrics(),
                around.storage(),
                scans,
                deadlocks,
                streams,
                () -> around.tcpClients().getAsInt() + sessions.count(),
                around.stopping(),
                around.admission(),
                self);
    }

    private SessionOperations sessionOperations(EventLoop loop, FailureReplies failures) {
        long idleSeconds = config.http().sessionIdleTimeout().toSeconds();
        return new SessionOperations(loop, failures, sessions, idleSeconds, around.storage()::incarnation);
    }

    private LockOperations lockOperations(EventLoop loop, FailureReplies failures) {
        LockBodies bodies = new LockBodies(config.locks().defaultLease().toSeconds());
        return new LockOperations(loop, failures, sessions, bodies);
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
     * Stops listening and ends all sessions, whose calls in progress are answered. Then ends all
     * connections: idle ones at once, others after their answer or at the timeout. A timeout of
     * zero waits indefinitely. The future completes when the last connection has ended.
     */
    Future<Void> drain(Duration timeout) {
        return listener.drain().transform(ignored -> {
            streams.endAll();
            Future<Void> ended = inTime(sessions.endAll(), timeout);
            return Future.join(ended, listener.shutdown(timeout)).mapEmpty();
        });
    }

    /** Completes with the future, or at the timeout unless that is zero. */
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
    int connections() {
        return listener.connections();
    }

    int sessions() {
        return sessions.count();
    }
}
