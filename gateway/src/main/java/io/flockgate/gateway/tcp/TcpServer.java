package io.flockgate.gateway.tcp;

import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.TlsConfig;
import io.flockgate.gateway.session.ConnectionCounter;
import io.flockgate.gateway.session.ConnectionCounter.Entry;
import io.flockgate.gateway.session.EventLoop;
import io.flockgate.gateway.session.SessionEvents;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line protocol's listener: admits connections, hands each to the event loop that accepted it, and drains them in the
 * end. Thread safe.
 */
public final class TcpServer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);
    private static final int BACKLOG = 4096;
    private static final String ANY_ADDRESS = "::";

    /** Vert.x's word for a free port that several listeners share. */
    private static final int FREE_PORT = -1;

    private static final Duration FOREVER = Duration.ofDays(10_000);

    /** So much later than we do, Vert.x ends what is left: what ends it is in the log then. */
    private static final Duration MARGIN = Duration.ofMillis(100);

    private final Vertx vertx;
    private final GatewayConfig config;
    private final LockStorage storage;
    private final ConnectionCounter counter;
    private final AtomicLong ids;
    private final SessionEvents events;
    private @Nullable Tls tls;
    private final List<NetServer> servers = new CopyOnWriteArrayList<>();
    private final List<TcpWorker> workers = new CopyOnWriteArrayList<>();
    private final Map<Entry, LongAdder> entries = new EnumMap<>(Entry.class);

    /**
     * @param ids the last number given to a connection or session of this process
     * @param events who is told what happens to claims
     */
    public TcpServer(
            Vertx vertx,
            GatewayConfig config,
            LockStorage storage,
            ConnectionCounter counter,
            AtomicLong ids,
            SessionEvents events) {
        this.vertx = vertx;
        this.config = config;
        this.storage = storage;
        this.counter = counter;
        this.ids = ids;
        this.events = events;
        for (Entry entry : Entry.values()) {
            entries.put(entry, new LongAdder());
        }
    }

    /** Begins to listen; the port it has got, or the reason why not. Reads the files of TLS, which blocks. */
    public Future<Integer> listen() {
        try {
            TlsConfig files = config.tls().orElse(null);
            tls = files == null ? null : Tls.load(files, config.tcp().readTimeout(), vertx);
        } catch (IOException e) {
            return Future.failedFuture(e);
        }
        int wanted = config.tcp().port() == 0 ? FREE_PORT : config.tcp().port();
        Future<Integer> port = listenOnAnotherLoop(wanted);
        for (int i = 1; i < config.tcp().eventLoops(); i++) {
            port = port.compose(ignored -> listenOnAnotherLoop(wanted));
        }
        return port;
    }

    /** Each event loop has a listener of its own on the same port; Vert.x spreads connections over them. */
    private Future<Integer> listenOnAnotherLoop(int port) {
        AtomicInteger bound = new AtomicInteger();
        return vertx.deployVerticle(new VerticleBase() {
                    @Override
                    public Future<?> start() {
                        return listenHere(port).onSuccess(bound::set);
                    }
                })
                .map(ignored -> bound.get());
    }

    private Future<Integer> listenHere(int port) {
        TcpWorker worker = new TcpWorker(EventLoop.current(vertx), config, storage, counter, events);
        NetServer server = vertx.createNetServer(new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                .setReuseAddress(true)
                .setAcceptBacklog(BACKLOG));
        server.connectHandler(socket -> admit(worker, socket));
        workers.add(worker);
        servers.add(server);
        return server.listen(port, host()).map(NetServer::actualPort);
    }

    private String host() {
        String host = config.tcp().host();
        return host.isEmpty() ? ANY_ADDRESS : host;
    }

    private void admit(TcpWorker worker, NetSocket socket) {
        Channels.readInLargePieces(socket);
        String address = addressOf(socket);
        Entry entry = counter.enter(address);
        counted(entry).increment();
        if (entry != Entry.ADMITTED) {
            LOG.atWarn()
                    .addKeyValue("peer", socket.remoteAddress())
                    .addKeyValue("reason", entry == Entry.TOO_MANY ? "total" : "address")
                    .log("max connections reached, rejecting");
            Future<Void> unused = socket.close();
            return;
        }
        Runnable left = () -> counter.leave(address);
        if (tls == null) {
            worker.serve(socket, ids.incrementAndGet(), left);
        } else {
            secure(tls, worker, socket, left);
        }
    }

    /**
     * The socket is paused until it is served: nothing that comes right behind the handshake is lost. A handshake that is
     * under way when the server begins to drain is broken off by Vert.x.
     */
    private void secure(Tls with, TcpWorker worker, NetSocket socket, Runnable left) {
        AtomicBoolean ended = new AtomicBoolean();
        socket.pause();
        socket.closeHandler(ignored -> {
            ended.set(true);
            left.run();
        });
        socket.exceptionHandler(cause -> LOG.atDebug()
                .addKeyValue("peer", socket.remoteAddress())
                .addKeyValue("err", cause.toString())
                .log("TLS handshake failed"));
        with.handshake(socket)
                .onComplete(
                        ignored -> worker.loop().post(() -> {
                            if (!ended.get()) {
                                worker.serve(socket, ids.incrementAndGet(), left);
                                socket.resume();
                            }
                        }),
                        cause -> {
                            Future<Void> unused = socket.close();
                        });
    }

    private static String addressOf(NetSocket socket) {
        SocketAddress peer = socket.remoteAddress();
        String address = peer == null ? null : peer.hostAddress();
        return address == null ? "unknown" : address;
    }

    /**
     * Stops listening, breaks off waits, answers each next request with the news, and ends what connections are left after
     * the timeout; zero waits for ever. The future completes when the last connection has ended.
     *
     * <p>The connections are told first: once the port refuses others, no request is carried out any more.
     */
    public Future<Void> drain(Duration timeout) {
        List<Future<Void>> telling = new ArrayList<>();
        for (TcpWorker worker : workers) {
            telling.add(worker.loop().run(worker::drain));
        }
        return Future.join(telling).transform(ignored -> end(timeout));
    }

    private Future<Void> end(Duration timeout) {
        boolean endless = timeout.isZero() || timeout.compareTo(FOREVER) > 0;
        Duration longest = endless ? FOREVER : timeout;
        List<Future<Void>> ending = new ArrayList<>();
        for (NetServer server : servers) {
            ending.add(server.shutdown(longest.plus(MARGIN)));
        }
        long force = vertx.setTimer(longest.toMillis(), ignored -> endAll());
        return Future.join(ending)
                .onComplete(ignored -> vertx.cancelTimer(force))
                .mapEmpty();
    }

    private void endAll() {
        LOG.atWarn().addKeyValue("connections", clients()).log("shutdown timeout reached, force-closing connections");
        for (TcpWorker worker : workers) {
            worker.loop().post(worker::closeAll);
        }
    }

    /** Takes one count of replies; the count goes on and may be read at any time, from any thread. */
    @FunctionalInterface
    public interface CommandCounter {
        /**
         * Takes one.
         *
         * @param command the command's letters; {@code auth}; {@code invalid} for what is none
         * @param outcome the first word of the reply
         */
        void add(String command, String outcome, LongSupplier count);
    }

    /** Names every count of replies there is: each command with each word that may answer it. */
    public void forEachCommand(CommandCounter counter) {
        for (Command command : Command.values()) {
            for (ReplyWord answer : command.answers()) {
                counter.add(command.text(), answer.text(), () -> answered(command, answer));
            }
        }
    }

    private long answered(Command command, ReplyWord answer) {
        long sum = 0;
        for (TcpWorker worker : workers) {
            sum += worker.answered(command, answer);
        }
        return sum;
    }

    /** How many connections were admitted, or were turned away by a cap. */
    public long connections(Entry entry) {
        return counted(entry).sum();
    }

    private LongAdder counted(Entry entry) {
        return Objects.requireNonNull(entries.get(entry));
    }

    /** How many clients are connected now. */
    public int clients() {
        return counter.total();
    }
}
