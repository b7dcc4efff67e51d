package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockAdmin.FleetLockWatch;
import io.flockgate.gateway.fleetlock.http.FleetLockHandler;
import io.flockgate.gateway.fleetlock.http.FleetLockOperations;
import io.flockgate.gateway.http.HttpListener;
import io.flockgate.gateway.http.Routes;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.ServerGroup;
import io.flockgate.gateway.page.PageHandler;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.EventStreams;
import io.flockgate.gateway.rest.KeyReports;
import io.flockgate.gateway.rest.OperatorRoutes;
import io.flockgate.gateway.rest.OriginCheck;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rest.Reports;
import io.flockgate.gateway.rest.RequestFilter;
import io.flockgate.gateway.rest.session.HttpSessions;
import io.flockgate.gateway.rest.session.SessionOperations;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.session.ClientIdentity;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.KeptClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Assembles and serves the HTTP port: the REST API with its sessions, and FleetLock. Thread safe.
 */
final class HttpService {
    private static final long IDLE_SECONDS = 10;

    private final Vertx vertx;
    private final @Nullable FleetLockParts fleetLock;
    private final HttpSessions sessions;
    private final EventStreams streams;
    private final HttpRoutes operations;
    private final RequestFilter filter;
    private final @Nullable PageHandler page;
    private final @Nullable FleetLockHandler machines;
    private final HttpListener listener;
    private final AtomicBoolean sweeping = new AtomicBoolean();

    record FleetLockParts(FleetLock protocol, FleetLockAdmin admin, String pathPrefix) {}

    /**
     * @param owner its own parts, which both ports share, must exist
     * @param fleetLock null where FleetLock is not served
     */
    HttpService(Gateway owner, GatewayMetrics metrics, @Nullable FleetLockParts fleetLock) {
        GatewayConfig config = owner.config;
        HttpConfig http = config.http();
        Authenticator authenticator = owner.authenticator;
        Answers answers = new Answers(metrics, owner.audit, owner.reports);
        OriginCheck origins = new OriginCheck(
                config.auth().isRequired(), http.host(), http.allowedHosts(), http.corsAllowedOrigins());
        this.vertx = owner.vertx;
        this.fleetLock = fleetLock;
        this.sessions = new HttpSessions(config, owner.sessions, owner.gate, new SecureRandom());
        this.streams = new EventStreams(owner.feed, owner.gate, authenticator);
        RateLimiter limiter = new RateLimiter(http.rateLimitPerIp(), http.rateLimitBurst());
        this.operations = operations(owner, metrics, answers);
        this.filter = new RequestFilter(origins, limiter, authenticator, answers);
        this.page = http.page() ? new PageHandler(limiter, answers) : null;
        this.machines = fleetLock == null
                ? null
                : new FleetLockHandler(answers, origins, limiter, authenticator, fleetLock.protocol());
        ServerGroup servers = new ServerGroup(vertx, config.tcp(), owner.certificates);
        this.listener = new HttpListener(servers, config, owner.gate, metrics, owner.budget);
    }

    private HttpRoutes operations(Gateway owner, GatewayMetrics metrics, Answers answers) {
        GatewayConfig config = owner.config;
        LockStorage storage = owner.storage;
        ClientLimits limits = owner.sessions.limits();
        return new HttpRoutes(
                new Reports(answers, metrics, storage, owner.stopping::get, limits, owner.storages.self()),
                new KeyReports(answers, storage, scanThread(), owner.sessions::clients),
                streams,
                new OperatorRoutes(answers, storage, limits, owner.feed),
                new SessionOperations(answers, sessions, config),
                new FleetLockOperations(answers, fleetLock == null ? null : fleetLock.admin()));
    }

    /**
     * One thread for passes over all keys, so that they take at most one processor and stall no
     * event loop. It exists only while there is something to do.
     */
    private static Executor scanThread() {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("flockgate-scan").factory());
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    /**
     * Restores an HTTP session of the previous process; false if there is no room for it. On this
     * event loop, before {@link #listen}.
     */
    boolean restore(EventLoop loop, KeptClient kept, ClientIdentity client) {
        return sessions.restore(loop, kept, client);
    }

    /** Starts listening; the future completes with the bound port. */
    Future<Integer> listen() {
        return listener.listen(this::declare);
    }

    private void declare(EventLoop loop, Routes routes) {
        if (sweeping.compareAndSet(false, true)) {
            long unused = vertx.setPeriodic(sessions.sweepIntervalMillis(), ignored -> sessions.sweep(loop));
            watchFleetLock();
        }
        operations.declare(routes, filter, page, machines, fleetLock == null ? "" : fleetLock.pathPrefix());
    }

    private void watchFleetLock() {
        if (fleetLock != null) {
            FleetLockWatch watch = new FleetLockWatch(fleetLock.admin());
            Runnable check = () -> {
                Future<Void> unused = watch.check();
            };
            check.run();
            long unused = vertx.setPeriodic(FleetLockWatch.PERIOD_MILLIS, ignored -> check.run());
        }
    }

    /**
     * Stops listening and ends all sessions, whose calls in progress are answered. Then ends all
     * connections: idle ones at once, others after their answer or at the timeout. A timeout of
     * zero waits indefinitely. The future completes when the last connection has ended.
     */
    Future<Void> drain(Duration timeout) {
        return listener.drain().transform(ignored -> {
            streams.endAll();
            Future<Void> ending = sessions.endAll();
            Future<Void> ended = timeout.isZero() ? ending : ending.timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
            return Future.join(ended.otherwiseEmpty(), listener.shutdown(timeout))
                    .mapEmpty();
        });
    }
}
