package io.flockgate.gateway.net;

import io.flockgate.gateway.eventloop.EventLoop;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.net.ConnectionCounter.Entry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A port on which every event loop listens. Admits connections up to the caps, adds TLS if the
 * settings say so, and serves each on the event loop that accepted it. Thread safe.
 */
public final class Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
    private static final int BACKLOG = 4096;

    /**
     * The size of each of the kernel's buffers, which would grow to megabytes for a client that
     * does not read.
     */
    private static final int KERNEL_BYTES = 64 * 1024;

    private final Vertx vertx;
    private final Options options;
    private final ConnectionCounter counter;
    private final Refused refused;
    private final Consumer<SocketAddress> plain;
    private final ServerGroup servers;

    /**
     * The settings of a port.
     *
     * @param host empty for all addresses
     * @param port 0 for one that is free; a negative number for a free one that all listeners of
     *     this number share
     * @param tls null for a port without TLS
     */
    public record Options(
            String host, int port, int eventLoops, @Nullable Tls tls) {}

    /** Serves the connections that one event loop has accepted, on that event loop. */
    @FunctionalInterface
    public interface Acceptor {
        /**
         * Prepares a connection before anything is read from it.
         *
         * @param left must run once the connection has ended, if it was served
         * @return begins to serve it once TLS is set up; receives the name in the client's
         *     certificate, which is empty without one
         */
        Consumer<String> accept(NetSocket socket, Runnable left);
    }

    /**
     * Notified of connections that a cap refuses, on the event loop that has closed the connection.
     */
    @FunctionalInterface
    public interface Refused {
        /** A connection was refused at this time, in monotonic nanoseconds. */
        void refused(Entry cap, String address, long now);
    }

    /**
     * Creates a listener that does not listen yet.
     *
     * @param refused notified of each refused connection
     * @param plain receives the address of each client that does not speak TLS although it should
     */
    public Listener(
            Vertx vertx, Options options, ConnectionCounter counter, Refused refused, Consumer<SocketAddress> plain) {
        this.vertx = vertx;
        this.options = options;
        this.counter = counter;
        this.refused = refused;
        this.plain = plain;
        this.servers = new ServerGroup(vertx);
    }

    /**
     * Begins to listen; the future gives the bound port.
     *
     * @param acceptors makes the acceptor of an event loop, on that event loop
     */
    public Future<Integer> listen(Function<EventLoop, Acceptor> acceptors) {
        return servers.listen(
                options.host(), options.port(), options.eventLoops(), loop -> server(loop, acceptors.apply(loop)));
    }

    private ServerGroup.Server server(EventLoop loop, Acceptor acceptor) {
        NetServer server = vertx.createNetServer(new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                .setReceiveBufferSize(KERNEL_BYTES)
                .setSendBufferSize(KERNEL_BYTES)
                .setReuseAddress(true)
                .setAcceptBacklog(BACKLOG));
        server.connectHandler(socket -> admit(socket, loop, acceptor));
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host).map(NetServer::actualPort), server::shutdown);
    }

    private void admit(NetSocket socket, EventLoop loop, Acceptor acceptor) {
        Channels.readInPieces(socket, counter.total());
        String address = PeerAddress.ip(socket.remoteAddress());
        Entry entry = counter.enter(address);
        if (entry != Entry.ADMITTED) {
            refused.refused(entry, address, loop.now());
            Future<Void> unused = socket.close();
            return;
        }
        Runnable left = () -> counter.leave(address);
        Consumer<String> serve = acceptor.accept(socket, left);
        Tls tls = options.tls();
        if (tls == null) {
            serve.accept("");
        } else {
            secure(tls, socket, loop, serve, left);
        }
    }

    /**
     * Performs the TLS handshake, then serves the connection. The socket is paused until then, so
     * that bytes right after the handshake are not lost. When the server begins to drain, Vert.x
     * aborts a handshake that is under way.
     */
    private void secure(Tls with, NetSocket socket, EventLoop loop, Consumer<String> serve, Runnable left) {
        AtomicBoolean ended = new AtomicBoolean();
        socket.pause();
        socket.closeHandler(ignored -> {
            ended.set(true);
            left.run();
        });
        socket.exceptionHandler(cause -> failed(socket, cause));
        with.handshake(socket, PeerAddress.ip(socket.remoteAddress()))
                .onComplete(
                        certificate -> loop.post(() -> {
                            if (!ended.get()) {
                                serve.accept(certificate);
                                socket.resume();
                            }
                        }),
                        cause -> {
                            Future<Void> unused = socket.close();
                        });
    }

    private void failed(NetSocket socket, Throwable cause) {
        if (Tls.isPlainClient(cause)) {
            plain.accept(socket.remoteAddress());
        } else {
            Logging.connectionFailed(LOG, cause)
                    .addKeyValue("peer", socket.remoteAddress())
                    .log("TLS handshake failed");
        }
    }

    /** As {@link ServerGroup#shutdown}. */
    public Future<Void> shutdown(Duration timeout, Runnable force) {
        return servers.shutdown(timeout, force);
    }
}
