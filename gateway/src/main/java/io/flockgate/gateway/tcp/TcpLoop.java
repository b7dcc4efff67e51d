package io.flockgate.gateway.tcp;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.log.Throttle;
import io.flockgate.gateway.net.AcceptFilter;
import io.flockgate.gateway.net.CertificateName;
import io.flockgate.gateway.net.PeerAddress;
import io.flockgate.gateway.net.Wire;
import io.flockgate.gateway.rights.Rights;
import io.flockgate.gateway.session.LockSession;
import io.flockgate.gateway.session.Outcome;
import io.flockgate.gateway.session.Outcome.Acquired;
import io.flockgate.gateway.session.Outcome.Failed;
import io.flockgate.gateway.session.Outcome.Granted;
import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.gateway.session.Outcome.Renewed;
import io.flockgate.gateway.stats.ChunkedWriter;
import io.flockgate.gateway.stats.ReportQueue.Report;
import io.flockgate.gateway.stats.StatsJson;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.LockStorage;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the TCP connections of one event loop: starts and ends them, and owns the objects that
 * they share. Confined to that event loop, except {@link #answered}.
 */
final class TcpLoop {
    private static final Logger LOG = LoggerFactory.getLogger(TcpLoop.class);
    private static final long BOUND_CHECK_MILLIS = 50;

    final EventLoop loop;
    final RequestParser parser;
    final ReplyBuffer replies = new ReplyBuffer();
    final Hello hello;
    final long readTimeoutNanos;
    private final TcpServer server;
    private final CommandCounts counts = new CommandCounts();
    private final Map<TcpConnection, LockSession> connections = new HashMap<>();
    private final Throttle throttle = new Throttle(1);
    private boolean draining;

    TcpLoop(EventLoop loop, TcpServer server) {
        this.loop = loop;
        this.server = server;
        this.parser = new RequestParser(server.config.locks().defaultLease().toSeconds());
        this.hello = new Hello(
                loop,
                server.sessions.storage(),
                server::httpPort,
                server.config.tls().isPresent(),
                server.notifier);
        this.readTimeoutNanos = server.config.tcp().readTimeout().toNanos();
    }

    Duration writeTimeout() {
        return server.config.tcp().writeTimeout();
    }

    /** How a report can end. */
    enum ReportEnd {
        WRITTEN,
        /** Nothing of it has been written. */
        FAILED,
        /** A part of it has been written. */
        BROKEN_OFF
    }

    /**
     * Queues a report of the statistics that a client may see. The report is written when its
     * turn comes, or is refused.
     */
    void report(Access client, Function<Buffer, Future<Void>> write, BooleanSupplier gone, Consumer<ReportEnd> ended) {
        server.reports.add(new Report(
                loop,
                client.peer(),
                client.isOperator(),
                gone,
                over -> write(stats(client.rights(), write), over, ended),
                () -> ended.accept(ReportEnd.FAILED)));
    }

    private static void write(ChunkedWriter stats, Runnable over, Consumer<ReportEnd> ended) {
        stats.run().onComplete(ignored -> over.run()).onComplete(ignored -> ended.accept(ReportEnd.WRITTEN), cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("stats failed");
            ended.accept(stats.begun() ? ReportEnd.BROKEN_OFF : ReportEnd.FAILED);
        });
    }

    /** Logs what was wrong with the last frame, which was not a valid request. */
    void logFault(SocketAddress peer) {
        LOG.atDebug()
                .addKeyValue("peer", peer)
                .addKeyValue("code", parser.fault().code())
                .log("protocol error");
    }

    /**
     * The memory for unfinished frames and for replies that clients have not read. The replies to
     * the requests in one read may take five times as many bytes as that read.
     */
    Budget budget() {
        return server.budget;
    }

    void count(Command command, ReplyWord answer) {
        counts.count(command, answer);
    }

    /** Returns how often a command was answered with this word. May be called on any thread. */
    long answered(Command command, ReplyWord answer) {
        return counts.of(command, answer);
    }

    /**
     * Creates the writer of the {@code stats} reply to a client, which is one line.
     *
     * @param rights null if they hide no keys
     */
    private ChunkedWriter stats(@Nullable Rights rights, Function<Buffer, Future<Void>> write) {
        LockStorage storage = server.sessions.storage();
        StatsJson stats = new StatsJson(
                rights == null ? storage::inspect : query -> rights.inspect(storage::inspect, query),
                server.sessions.clients());
        return new ChunkedWriter(loop, "ok ", stats, (part, last) -> write.apply(part));
    }

    /** Serves a connection, before anything is read from it. */
    void serve(NetSocket socket) {
        String certificate = CertificateName.of(socket.sslSession());
        LockSession session = server.sessions.make(
                loop, new ClientDescription(Via.CONNECTION, null, PeerAddress.of(socket.remoteAddress())));
        session.began();
        Access token = new Access(server.authenticator, session, socket.remoteAddress(), certificate);
        TcpConnection connection =
                new TcpConnection(this, socket, Wire.of(socket), session, token, AcceptFilter.takeOver(socket));
        connections.put(connection, session);
        LOG.atDebug()
                .addKeyValue("peer", socket.remoteAddress())
                .addKeyValue("conn", session.id())
                .log("client connected");
        connection.start();
    }

    void closed(TcpConnection connection, long id) {
        connections.remove(connection);
        LOG.atDebug().addKeyValue("conn", id).log("client closed");
    }

    /**
     * Cancels the waits of clients whose grants end with this process. Completes once no client
     * holds such a grant any more, or after the timeout; zero waits indefinitely.
     */
    Future<Void> awaitBoundGrants(Duration timeout) {
        for (LockSession session : List.copyOf(connections.values())) {
            if (!session.outlivesProcess()) {
                session.cancelWait();
            }
        }
        Promise<Void> ended = Promise.promise();
        checkBoundGrants(timeout.isZero() ? Long.MAX_VALUE : timeout.toMillis(), ended);
        return ended.future();
    }

    private void checkBoundGrants(long millisLeft, Promise<Void> ended) {
        boolean held = connections.values().stream().anyMatch(LockSession::holdsUntilStop);
        if (held && millisLeft > 0) {
            loop.after(BOUND_CHECK_MILLIS, () -> checkBoundGrants(millisLeft - BOUND_CHECK_MILLIS, ended));
        } else {
            ended.complete();
        }
    }

    /** Drains every connection, including those accepted later. */
    void drain() {
        draining = true;
        for (TcpConnection connection : List.copyOf(connections.keySet())) {
            connection.drain();
        }
    }

    /**
     * Whether the server is draining: each connection ends with its next frame, which is refused.
     */
    boolean isDraining() {
        return draining;
    }

    /** Ends all connections without a further reply. */
    void closeAll() {
        for (TcpConnection connection : List.copyOf(connections.keySet())) {
            connection.close();
        }
    }

    /**
     * Adds the reply for an outcome.
     *
     * @param reasons whether the client has asked for reasons
     */
    ReplyWord reply(Outcome outcome, boolean reasons) {
        return switch (outcome) {
            case Granted granted -> replies.granted(granted.grant(), granted.leaseSeconds());
            case Acquired acquired -> replies.acquired(acquired.grant(), acquired.leaseSeconds());
            case Renewed renewed -> replies.renewed(renewed.leaseSeconds());
            case Plain plain -> replies.add(ReplyWord.of(plain, reasons));
            case Failed failed -> {
                throttle.warn(LOG, "storage failed", failed.cause());
                yield replies.add(ReplyWord.ERROR);
            }
        };
    }

    /** Logs a warning, at most once a second. */
    void authFailed(SocketAddress peer) {
        throttle.warn(LOG, "auth failed", line -> line.addKeyValue("peer", peer).addKeyValue("protocol", "line"));
    }

    /**
     * Counts replies by command and first word. Written on one event loop, without a memory fence;
     * read on any thread.
     */
    private static final class CommandCounts {
        private static final int WORDS = ReplyWord.values().length;

        private final AtomicLongArray counts = new AtomicLongArray(Command.values().length * WORDS);

        void count(Command command, ReplyWord answer) {
            assert command.answers().contains(answer) : command + " answered by " + answer;
            int cell = cell(command, answer);
            counts.setOpaque(cell, counts.getPlain(cell) + 1);
        }

        long of(Command command, ReplyWord answer) {
            return counts.getOpaque(cell(command, answer));
        }

        @SuppressWarnings("EnumOrdinal") // a table by both, in memory only
        private static int cell(Command command, ReplyWord answer) {
            return command.ordinal() * WORDS + answer.ordinal();
        }
    }
}
