package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig.TokensSource;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.gateway.fleetlock.FleetLock;
import io.flockgate.gateway.fleetlock.FleetLockAdmin;
import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.lifecycle.Watchdog;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.metrics.FleetLockMeters;
import io.flockgate.gateway.metrics.GatewayMetrics;
import io.flockgate.gateway.net.AcceptFilter;
import io.flockgate.gateway.net.BoundedAccept;
import io.flockgate.gateway.net.Certificates;
import io.flockgate.gateway.net.HandshakeTurns;
import io.flockgate.gateway.net.ServerGroup;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.gateway.session.ClientLimits;
import io.flockgate.gateway.session.EventFeed;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.gateway.tcp.TcpServer;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.LockStorage.Survival;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server: storage and listeners, started and stopped in order, and the parts that both
 * ports share. Thread safe.
 */
public final class Gateway {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** Most shutdowns have ended by then, and need no log line about clients. */
    private static final long MILLIS_TO_LOG_WAIT = 1_000;

    /** The minimum time for requests to finish, even if the shutdown timeout has passed. */
    private static final Duration MIN_DRAIN = Duration.ofSeconds(1);

    final GatewayConfig config;

    final Vertx vertx;
    private final BoundedAccept accepting;
    final Storages storages;
    final LockStorage storage;

    /** Null without TLS. */
    final @Nullable Certificates certificates;

    /** Null where no token is configured. */
    final @Nullable Authenticator authenticator;

    final Gate gate;
    final Budget budget;
    final EventFeed feed = new EventFeed();
    final SessionFactory sessions;
    final ReportQueue reports;
    final Audit audit = new Audit();
    private final HandshakeTurns turns = new HandshakeTurns();
    private final TcpServer tcp;
    private final @Nullable HttpService http;

    /** Null without an HTTP server, which serves them. */
    private final @Nullable GatewayMetrics metrics;

    private final long startedAt = System.nanoTime();
    private volatile int port;
    private volatile int httpPort;
    private volatile @Nullable Watchdog watchdog;

    /** Whether the gateway accepts no new work. */
    final AtomicBoolean stopping = new AtomicBoolean();

    private final Promise<Void> drained = Promise.promise();
    private final Promise<Void> stopped = Promise.promise();

    /**
     * @param certificates null without TLS
     */
    private Gateway(
            GatewayConfig config,
            Vertx vertx,
            BoundedAccept accepting,
            Storages storages,
            @Nullable Certificates certificates,
            Budget budget) {
        this.config = config;
        this.vertx = vertx;
        this.accepting = accepting;
        this.storages = storages;
        this.storage = storages.locks();
        this.certificates = certificates;
        this.gate = new Gate(caps(config));
        this.metrics = config.http().enabled()
                ? new GatewayMetrics(vertx, storage, this::isReady, this::tcpConnections, gate)
                : null;
        this.sessions = sessions();
        this.authenticator = authenticator(config.auth());
        this.reports = new ReportQueue(gate);
        this.budget = budget;
        ServerGroup servers = new ServerGroup(vertx, config.tcp(), certificates);
        this.tcp = new TcpServer(servers, config, sessions, authenticator, budget, reports);
        this.http = metrics == null ? null : new HttpService(this, metrics, fleetLock(metrics));
        if (metrics != null) {
            metrics.cap("bytes", budget::used, budget.max());
            metrics.cap(
                    "max_locks",
                    () -> storage.usage().keys(),
                    config.locks().limits().maxLocks());
            tcp.forEachCommand(metrics::tcpCommands);
        }
    }

    private static Map<Resource, Caps> caps(GatewayConfig config) {
        Map<Resource, Caps> caps = OpenFiles.caps(config, OpenFiles.limit());
        caps.put(Resource.HANDSHAKE, HandshakeTurns.caps(Runtime.getRuntime().maxMemory()));
        return caps;
    }

    /** Also rereads the file of tokens when it changes. */
    private @Nullable Authenticator authenticator(AuthConfig auth) {
        NamedToken first = auth.token().orElse(null);
        TokensSource source = auth.file().orElse(null);
        if (source == null) {
            return first == null ? null : new Authenticator(Tokens.of(first), audit);
        }
        Authenticator made = new Authenticator(source.tokens(), audit);
        FileChecks.start(vertx, made.reload(source.path(), first));
        return made;
    }

    private AcceptFilter filter(Resource connections) {
        HandshakeTurns ofTls = config.tls().isPresent() ? turns : null;
        return new AcceptFilter(
                vertx, gate, budget, connections, ofTls, config.tcp().proxies());
    }

    private HttpService.@Nullable FleetLockParts fleetLock(GatewayMetrics measured) {
        RosterStorage rosters = storages.rosters();
        if (rosters == null) {
            return null;
        }
        FleetLockConfig fleet = config.fleetLock().orElseThrow();
        InstantSource clock = InstantSource.system();
        FleetLockMeters meters = measured.fleetLock(fleet, rosters, clock);
        return new HttpService.FleetLockParts(
                new FleetLock(fleet, rosters, clock, meters, sessions.limits()::isDraining),
                new FleetLockAdmin(fleet, rosters, clock, meters),
                fleet.pathPrefix());
    }

    private SessionFactory sessions() {
        List<SessionEvents> listeners = new ArrayList<>();
        if (config.logGrants()) {
            listeners.add(new GrantLog());
        }
        if (metrics != null) {
            listeners.addAll(List.of(metrics, feed));
        }
        return new SessionFactory(
                storage,
                config.tcp().autoRelease(),
                new ClientLimits(gate, config.locks().limits()),
                listeners.toArray(SessionEvents[]::new));
    }

    /** The metrics read this, and {@link #isReady}, only after the constructor has returned. */
    private int tcpConnections() {
        return sessions.connections();
    }

    private boolean isReady() {
        return !stopping.get()
                && !sessions.limits().isDraining()
                && storage.failureReason().isEmpty();
    }

    /** Fails with {@link StartException}, and then leaves nothing running. */
    public static Future<Gateway> start(GatewayConfig config) {
        return start(config, Budget.ofHeap(Runtime.getRuntime().maxMemory()));
    }

    /** With a budget for the bytes that clients make the gateway keep. */
    static Future<Gateway> start(GatewayConfig config, Budget budget) {
        NettySettings.apply();
        BoundedAccept accepting = new BoundedAccept();
        Vertx vertx = Vertx.builder()
                .with(NettySettings.options(config.tcp().eventLoops()))
                .withTransport(accepting.transport())
                .build();
        return Storages.open(config, vertx)
                .compose(storages -> make(config, vertx, accepting, storages, budget)
                        .compose(Gateway::serve)
                        .recover(cause -> storages.close().transform(ignored -> Future.failedFuture(cause))))
                .recover(cause -> vertx.close().transform(ignored -> Future.failedFuture(cause)));
    }

    /** Reads the TLS files, which blocks. */
    private static Future<Gateway> make(
            GatewayConfig config, Vertx vertx, BoundedAccept accepting, Storages storages, Budget budget) {
        try {
            TlsConfig files = config.tls().orElse(null);
            Certificates certificates =
                    files == null ? null : Certificates.load(files, config.tcp().readTimeout(), vertx);
            return Future.succeededFuture(new Gateway(config, vertx, accepting, storages, certificates, budget));
        } catch (IOException e) {
            return Future.failedFuture(StartException.configuration(e));
        }
    }

    private Future<Gateway> serve() {
        return RestoredClients.restore(vertx, storage, sessions, tcp, http)
                .compose(ignored -> listen())
                .map(ignored -> this)
                .onSuccess(Gateway::logStart);
    }

    private Future<?> listen() {
        accepting.ask(filter(Resource.CONNECTION));
        Future<?> listening = tcp.listen()
                .onSuccess(bound -> port = bound)
                .recover(cause -> notListening(config.tcp().host(), config.tcp().port(), cause));
        HttpService server = http;
        if (server == null) {
            return listening;
        }
        return listening.compose(ignored -> {
            accepting.ask(filter(Resource.HTTP_CONNECTION));
            return server.listen()
                    .onSuccess(bound -> {
                        httpPort = bound;
                        tcp.httpListens(bound);
                    })
                    .recover(cause ->
                            notListening(config.http().host(), config.http().port(), cause));
        });
    }

    private static <T> Future<T> notListening(String host, int port, Throwable cause) {
        return Future.failedFuture(StartException.listener(StartLine.address(host, port), cause));
    }

    private void logStart() {
        StartLine.started(config, port, http == null ? OptionalInt.empty() : OptionalInt.of(httpPort));
        StartLine.warnings(config, gate);
    }

    /** The port of the line protocol. */
    public int port() {
        return port;
    }

    /** The port of the REST API; 0 when it is not served. */
    public int httpPort() {
        return httpPort;
    }

    /**
     * Lets requests finish within the configured time, then ends everything. Completes when nothing
     * is left running. A second call changes nothing and completes at the same time.
     */
    public Future<Void> stop() {
        if (stopping.compareAndSet(false, true)) {
            end().onComplete(ignored -> audit.flush())
                    .onSuccess(
                            ignored -> StartLine.stopped(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedAt)))
                    .onComplete(stopped);
        }
        return stopped.future();
    }

    /** Completes when a stop no longer waits for any client. */
    public Future<Void> drained() {
        return drained.future();
    }

    /**
     * Checks continuously, until the gateway stops, whether it can continue. If it cannot, runs the
     * alarm with the reason, otherwise {@code alive} every second.
     */
    public void watch(Consumer<String> alarm, Runnable alive) {
        Watchdog started = new Watchdog(tcp.loops(), alarm, alive);
        watchdog = started;
        started.start();
    }

    private Future<Void> end() {
        return shutdownDelay()
                .compose(ignored -> {
                    LOG.info("shutting down, draining connections");
                    vertx.setTimer(MILLIS_TO_LOG_WAIT, timer -> logWait());
                    return awaitBoundGrants();
                })
                .compose(this::drain)
                .onComplete(this::endWatch)
                .eventually(storages::close)
                .eventually(this::closeMetrics)
                .eventually(vertx::close);
    }

    private void endWatch(AsyncResult<Void> ignored) {
        Watchdog watching = watchdog;
        if (watching != null) {
            watching.stop();
        }
        drained.complete();
    }

    private void logWait() {
        int clients = tcpConnections() + gate.count(Resource.HTTP_CONNECTION);
        if (clients > 0) {
            long seconds = config.shutdownTimeout().toSeconds();
            LOG.info(
                    "waiting {} for {} {}",
                    seconds == 0 ? "without limit" : "up to " + seconds + " s",
                    clients,
                    clients == 1 ? "connection" : "connections");
        }
    }

    private Future<Void> closeMetrics() {
        if (metrics != null) {
            metrics.close();
        }
        return Future.succeededFuture();
    }

    /**
     * If the storage keeps grants, serves everything but claims until no client holds a grant that
     * ends with its connection. The leases that continue in the next process would run out if they
     * could not be renewed in the meantime.
     *
     * @return the time that is left of the shutdown timeout; zero for no limit
     */
    private Future<Duration> awaitBoundGrants() {
        Duration timeout = config.shutdownTimeout();
        if (storage.survival() != Survival.KEPT) {
            return Future.succeededFuture(timeout);
        }
        sessions.limits().drain("");
        long begun = System.nanoTime();
        return tcp.awaitBoundGrants(timeout).map(ignored -> {
            Duration left = timeout.minusNanos(System.nanoTime() - begun);
            return timeout.isZero() ? timeout : left.compareTo(MIN_DRAIN) > 0 ? left : MIN_DRAIN;
        });
    }

    /**
     * Drains both servers at once, because a request of one may wait for a key that a client of the
     * other holds.
     *
     * @param timeout zero for no limit
     */
    private Future<Void> drain(Duration timeout) {
        Future<Void> tcpDrained = tcp.drain(timeout);
        return http == null
                ? tcpDrained
                : Future.join(tcpDrained, http.drain(timeout)).mapEmpty();
    }

    /**
     * Uses a promise of its own, because the steps that follow a future of Vert.x's timer would run
     * on an event loop, which ends when Vert.x is closed.
     */
    private Future<Void> shutdownDelay() {
        if (config.shutdownDelay().isZero()) {
            return Future.succeededFuture();
        }
        Promise<Void> over = Promise.promise();
        vertx.setTimer(config.shutdownDelay().toMillis(), ignored -> over.complete());
        return over.future();
    }
}
