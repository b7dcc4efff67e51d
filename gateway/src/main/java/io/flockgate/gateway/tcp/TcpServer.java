package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.ConnectionCounter;
import io.flockgate.gateway.session.ConnectionCounter.Entry;
import io.flockgate.gateway.session.EventLoop;
import io.flockgate.storage.LockStorage;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The line protocol's listener: admits connections, hands each to the event loop that accepted it, and drains them in the
 * end. Thread safe.
 */
public final class TcpServer {
    private static final Logger LOG = LoggerFactory.getLogger(TcpServer.class);
    private static final int BACKLOG = 4096;

    private final Vertx vertx;
    private final TcpOptions options;
    private final LockStorage storage;
    private final ConnectionCounter counter;
    private final AtomicLong ids;
    private final List<NetServer> servers = new CopyOnWriteArrayList<>();
    private final List<TcpWorker> workers = new CopyOnWriteArrayList<>();

    /** @param ids the last number given to a connection or session of this process */
    public TcpServer(Vertx vertx, TcpOptions options, LockStorage storage, ConnectionCounter counter, AtomicLong ids) {
        this.vertx = vertx;
        this.options = options;
        this.storage = storage;
        this.counter = counter;
        this.ids = ids;
    }

    /** Begins to listen; the port it has got, or the reason why not. */
    public Future<Integer> listen() {
        Future<Integer> port = Future.succeededFuture(options.port());
        for (int i = 0; i < options.eventLoops(); i++) {
            port = port.compose(this::listenOnAnotherLoop);
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
        TcpWorker worker = new TcpWorker(EventLoop.current(vertx), options, storage, counter);
        NetServer server = vertx.createNetServer(new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                .setReuseAddress(true)
                .setAcceptBacklog(BACKLOG));
        server.connectHandler(socket -> admit(worker, socket));
        workers.add(worker);
        servers.add(server);
        return server.listen(port, options.host()).map(NetServer::actualPort);
    }

    private void admit(TcpWorker worker, NetSocket socket) {
        String address = addressOf(socket);
        Entry entry = counter.enter(address);
        if (entry != Entry.ADMITTED) {
            LOG.atWarn()
                    .addKeyValue("peer", socket.remoteAddress())
                    .addKeyValue("reason", entry == Entry.TOO_MANY ? "total" : "address")
                    .log("max connections reached, rejecting");
            Future<Void> unused = socket.close();
            return;
        }
        worker.serve(socket, ids.incrementAndGet(), () -> counter.leave(address));
    }

    private static String addressOf(NetSocket socket) {
        SocketAddress peer = socket.remoteAddress();
        String address = peer == null ? null : peer.hostAddress();
        return address == null ? "unknown" : address;
    }

    /**
     * Stops listening, breaks off waits, answers each next request with the news, and ends what connections are left after
     * the timeout; zero waits for ever. The future completes when the last connection has ended.
     */
    public Future<Void> drain(Duration timeout) {
        Duration longest = timeout.isZero() ? Duration.ofDays(10_000) : timeout;
        List<Future<Void>> ending = new ArrayList<>();
        for (NetServer server : servers) {
            ending.add(server.shutdown(longest));
        }
        for (TcpWorker worker : workers) {
            worker.loop().post(worker::drain);
        }
        return Future.join(ending).mapEmpty();
    }

    /** How many clients are connected now. */
    public int clients() {
        return counter.total();
    }
}
