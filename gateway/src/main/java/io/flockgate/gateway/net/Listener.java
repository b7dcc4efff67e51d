package io.flockgate.gateway.net;

import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.eventloop.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A port on which every event loop listens, with TLS if the settings say so. Serves each connection
 * on the event loop that accepted it. Thread safe.
 */
public final class Listener {
    private static final int KERNEL_BYTES = 64 * 1024;

    private final Vertx vertx;
    private final TcpConfig config;
    private final @Nullable Certificates certificates;
    private final ServerGroup servers;

    /** Serves the connections that one event loop has accepted, on that event loop. */
    @FunctionalInterface
    public interface Acceptor {
        /**
         * Begins to serve a connection, before anything is read from it.
         *
         * @param certificate the name in the client's certificate; empty without one
         * @param left must run once the connection has ended
         */
        void accept(NetSocket socket, String certificate, Runnable left);
    }

    /**
     * Creates a listener that does not listen yet.
     *
     * @param certificates null for a port without TLS
     */
    public Listener(Vertx vertx, TcpConfig config, @Nullable Certificates certificates) {
        this.vertx = vertx;
        this.config = config;
        this.certificates = certificates;
        this.servers = new ServerGroup(vertx);
    }

    /**
     * Begins to listen; the future gives the bound port.
     *
     * @param acceptors makes the acceptor of an event loop, on that event loop
     */
    public Future<Integer> listen(Function<EventLoop, Acceptor> acceptors) {
        return servers.listen(config.host(), config.port(), config.eventLoops(), loop -> server(acceptors.apply(loop)));
    }

    private ServerGroup.Server server(Acceptor acceptor) {
        boolean proxied = !config.proxies().isEmpty();
        NetServer server = vertx.createNetServer(ServerGroup.configure(
                new NetServerOptions(), KERNEL_BYTES, KERNEL_BYTES, acceptance(), proxied, certificates));
        server.connectHandler(socket -> serve(socket, acceptor));
        return new ServerGroup.Server(
                (port, host) -> server.listen(port, host)
                        .onSuccess(listening -> Certificates.follow(certificates, server::updateSSLOptions))
                        .map(NetServer::actualPort),
                server::shutdown);
    }

    /**
     * A client that reads nothing is ended by the connection itself. The kernel ends one that has
     * vanished with a reply under way, which keep-alive does not detect.
     */
    private Duration acceptance() {
        Duration timeout = config.writeTimeout();
        return timeout.isZero() || timeout.compareTo(ServerGroup.VANISHED) > 0 ? timeout : ServerGroup.VANISHED;
    }

    private void serve(NetSocket socket, Acceptor acceptor) {
        if (!socket.isSsl()) {
            Channels.readInPieces(socket);
        }
        acceptor.accept(socket, CertificateName.of(socket.sslSession()), AcceptFilter.takeOver(Channels.of(socket)));
    }

    /** As {@link ServerGroup#shutdown}. */
    public Future<Void> shutdown(Duration timeout, Runnable force) {
        return servers.shutdown(timeout, force);
    }
}
