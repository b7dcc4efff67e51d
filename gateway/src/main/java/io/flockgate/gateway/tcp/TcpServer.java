package io.flockgate.gateway.tcp;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.net.ServerGroup;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.SessionFactory;
import io.flockgate.gateway.stats.ReportQueue;
import io.flockgate.gateway.tcp.Hello.LossNotifier;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of the line protocol. Each connection is served on its event loop, and drained at
 * shutdown. Thread safe.
 */
public final class TcpServer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);

    /** The size of the kernel's buffer for each direction. */
    private static final int KERNEL_BYTES = 64 * 1024;

    final LossNotifier notifier = new LossNotifier();
    final GatewayConfig config;
    final SessionFactory sessions;
    final @Nullable Authenticator authenticator;
    final Budget budget;
    final ReportQueue reports;
    private final ServerGroup servers;
    private final List<TcpLoop> loops = new CopyOnWriteArrayList<>();
    private volatile int httpPort;

    /**
     * @param authenticator null where no token is configured
     */
    public TcpServer(
            ServerGroup servers,
            GatewayConfig config,
            SessionFactory sessions,
            @Nullable Authenticator authenticator,
            Budget budget,
            ReportQueue reports) {
        this.servers = servers;
        this.config = config;
        this.sessions = sessions;
        this.authenticator = authenticator;
        this.budget = budget;
        this.reports = reports;
    }

    /** From now on, clients that ask are told this port of the HTTP server. */
    public void httpListens(int bound) {
        httpPort = bound;
    }

    /** The port of the HTTP server; 0 without one. */
    int httpPort() {
        return httpPort;
    }

    /**
     * Watches a session of the previous process, to notify its client of lost grants over the
     * connections that it opens from now on.
     */
    public void restored(LockSession session) {
        notifier.watch(session);
    }

    /** Begins to listen; the future gives the bound port. */
    public Future<Integer> listen() {
        return servers.listen(config.tcp().host(), config.tcp().port(), this::server);
    }

    private ServerGroup.Server server(EventLoop loop) {
        TcpLoop shared = new TcpLoop(loop, this);
        loops.add(shared);
        NetServer server = servers.vertx()
                .createNetServer(servers.configure(new NetServerOptions(), KERNEL_BYTES, KERNEL_BYTES, acceptance()))
                .connectHandler(shared::serve);
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host).map(NetServer::actualPort),
                server::updateSSLOptions,
                server::shutdown);
    }

    /**
     * A client that reads nothing is ended by its connection. The kernel ends one that has vanished
     * with a reply under way, which keep-alive does not detect.
     */
    private Duration acceptance() {
        Duration timeout = config.tcp().writeTimeout();
        return timeout.isZero() || timeout.compareTo(ServerGroup.VANISHED) > 0 ? timeout : ServerGroup.VANISHED;
    }

    /**
     * Waits until no client holds a grant that ends with this process, or until the timeout; zero
     * waits indefinitely. All clients are still served.
     */
    public Future<Void> awaitBoundGrants(Duration timeout) {
        List<Future<Void>> ended = new ArrayList<>();
        for (TcpLoop shared : loops) {
            Promise<Void> end = Promise.promise();
            shared.loop.post(() -> shared.awaitBoundGrants(timeout).onComplete(end));
            ended.add(end.future());
        }
        return Future.join(ended).mapEmpty();
    }

    /**
     * Stops listening, cancels waits, and answers the next request of each connection with an
     * error. After the timeout, the remaining connections are ended; zero waits indefinitely. The
     * future completes when the last connection has ended.
     *
     * <p>The connections are drained first, so that no request is carried out once the port refuses
     * connections.
     */
    public Future<Void> drain(Duration timeout) {
        List<Future<Void>> draining = new ArrayList<>();
        for (TcpLoop shared : loops) {
            draining.add(shared.loop.run(shared::drain));
        }
        return Future.join(draining).transform(ignored -> servers.shutdown(timeout, this::endAll));
    }

    /** The event loops that serve connections. */
    public List<EventLoop> loops() {
        return loops.stream().map(shared -> shared.loop).toList();
    }

    private void endAll() {
        LOG.atWarn()
                .addKeyValue("connections", sessions.connections())
                .log("shutdown timeout reached, force-closing connections");
        for (TcpLoop shared : loops) {
            shared.loop.post(shared::closeAll);
        }
    }

    /**
     * Accepts counts of replies. A count keeps rising and may be read at any time, from any thread.
     */
    @FunctionalInterface
    public interface CommandCounter {
        /**
         * Accepts one count.
         *
         * @param command the command's letters, or {@code auth}, or {@code invalid} for anything
         *     that is not a command
         * @param outcome the first word of the reply
         */
        void add(String command, String outcome, LongSupplier count);
    }

    /**
     * Passes every count of replies to a counter: each command with each word that may answer it.
     */
    public void forEachCommand(CommandCounter counter) {
        for (Command command : Command.values()) {
            for (ReplyWord answer : command.answers()) {
                counter.add(command.text(), answer.text(), () -> answered(command, answer));
            }
        }
    }

    private long answered(Command command, ReplyWord answer) {
        long sum = 0;
        for (TcpLoop shared : loops) {
            sum += shared.answered(command, answer);
        }
        return sum;
    }
}
