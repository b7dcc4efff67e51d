package io.flockgate.gateway.net;

import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one port, one for each event loop; Vert.x spreads the connections over them.
 * Thread safe.
 */
public final class ServerGroup {
    /**
     * The port number for which Vert.x chooses a free port, which the servers of all event loops
     * share.
     */
    public static final int FREE_PORT = -1;

    private static final String ANY_ADDRESS = "::";
    private static final int BACKLOG = 4096;
    private static final int KEEP_ALIVE_IDLE_SECONDS = 20;
    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 5;
    private static final int KEEP_ALIVE_PROBES = 4;

    /** The time in which an idle client that has vanished is detected. */
    public static final Duration VANISHED =
            Duration.ofSeconds(KEEP_ALIVE_IDLE_SECONDS + KEEP_ALIVE_PROBES * KEEP_ALIVE_INTERVAL_SECONDS);

    private static final Duration FOREVER = Duration.ofDays(10_000);

    /**
     * Vert.x ends the remaining connections this much later than the timeout, so that the log names
     * the reason first.
     */
    private static final Duration MARGIN = Duration.ofMillis(100);

    private final Vertx vertx;
    private final TcpConfig config;
    private final @Nullable Certificates certificates;
    private final List<Server> servers = new CopyOnWriteArrayList<>();

    /**
     * One of the servers, on one event loop.
     *
     * @param listen begins to listen on a port and a host; the future gives the bound port
     * @param update uses other files of TLS for each handshake from now on
     * @param shutdown stops listening; connections may continue for this long. The future completes
     *     when the last one has ended
     */
    public record Server(
            BiFunction<Integer, String, Future<Integer>> listen,
            Consumer<ServerSSLOptions> update,
            Function<Duration, Future<Void>> shutdown) {}

    /**
     * @param config what both ports have in common
     * @param certificates null for a port without TLS
     */
    public ServerGroup(Vertx vertx, TcpConfig config, @Nullable Certificates certificates) {
        this.vertx = vertx;
        this.config = config;
        this.certificates = certificates;
    }

    public Vertx vertx() {
        return vertx;
    }

    /**
     * Sets what both ports have in common. On Linux, TCP keep-alive detects within 40 s that a
     * client has vanished; elsewhere Vert.x leaves the times to the kernel.
     *
     * @param receiveBytes the size of the kernel's buffer for what a client sends, which would
     *     otherwise grow to megabytes
     * @param sendBytes that for what a client has not read
     * @param acceptance the time for a client to accept what was sent before the kernel resets the
     *     connection; zero for the kernel's default. On Linux only
     */
    public <O extends NetServerOptions> O configure(O options, int receiveBytes, int sendBytes, Duration acceptance) {
        options.setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                .setTcpKeepAliveIdleSeconds(KEEP_ALIVE_IDLE_SECONDS)
                .setTcpKeepAliveIntervalSeconds(KEEP_ALIVE_INTERVAL_SECONDS)
                .setTcpKeepAliveCount(KEEP_ALIVE_PROBES)
                .setTcpUserTimeout((int) Math.min(acceptance.toMillis(), Integer.MAX_VALUE))
                .setReceiveBufferSize(receiveBytes)
                .setSendBufferSize(sendBytes)
                .setReuseAddress(true);
        options.setAcceptBacklog(BACKLOG).setUseProxyProtocol(!config.proxies().isEmpty());
        if (certificates != null) {
            certificates.configure(options);
        }
        return options;
    }

    /**
     * Begins to listen on every event loop; the future gives the bound port.
     *
     * @param host empty for all addresses
     * @param port 0 for a free one; a negative number for a free one that all servers of this
     *     number share
     * @param makeServer makes the server of an event loop, on that event loop
     */
    public Future<Integer> listen(String host, int port, Function<EventLoop, Server> makeServer) {
        String address = host.isEmpty() ? ANY_ADDRESS : host;
        int wanted = port == 0 ? FREE_PORT : port;
        AtomicInteger bound = new AtomicInteger();
        Supplier<VerticleBase> onALoop = () -> new VerticleBase() {
            @Override
            public Future<?> start() {
                Server server = makeServer.apply(EventLoop.current(vertx));
                servers.add(server);
                return server.listen().apply(wanted, address).onSuccess(actual -> {
                    bound.set(actual);
                    if (certificates != null) {
                        certificates.follow(server.update());
                    }
                });
            }
        };
        return vertx.deployVerticle(onALoop, new DeploymentOptions().setInstances(config.eventLoops()))
                .map(ignored -> bound.get());
    }

    /**
     * Accepts no further connections; the future completes when the last one has ended. At the
     * timeout {@code force} runs, and the remaining connections are ended. A timeout of zero waits
     * indefinitely.
     */
    public Future<Void> shutdown(Duration timeout, Runnable force) {
        boolean endless = timeout.isZero() || timeout.compareTo(FOREVER) > 0;
        Duration longest = endless ? FOREVER : timeout;
        Promise<Void> over = Promise.promise();
        List<Future<Void>> ending = new ArrayList<>();
        for (Server server : servers) {
            ending.add(server.shutdown().apply(longest.plus(MARGIN)));
        }
        long timer = vertx.setTimer(longest.toMillis(), ignored -> force.run());
        // Vert.x waits forever for a connection that was closed before and whose client reads
        // nothing.
        long last = vertx.setTimer(longest.plus(MARGIN.multipliedBy(2)).toMillis(), ignored -> over.tryComplete());
        Future.join(ending).onComplete(ignored -> {
            vertx.cancelTimer(timer);
            vertx.cancelTimer(last);
            over.tryComplete();
        });
        return over.future();
    }
}
