package io.flockgate.gateway.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x's own transport, except that ports accept connections no faster than the event loops take
 * them over. Vert.x accepts on a separate thread, and would queue accepted connections for busy
 * event loops without a bound:
 *
 * <ol>
 *   <li>An {@link AcceptFilter} admits each connection, or closes it.
 *   <li>A port counts the connections that it has accepted and that their event loops have not yet
 *       taken over.
 *   <li>At {@value #MAX_PENDING} it stops accepting. Further connections wait in the kernel, whose
 *       backlog is bounded.
 *   <li>It accepts again when half of them have been taken over.
 * </ol>
 *
 * Thread safe.
 */
public final class BoundedAccept implements Transport {
    private static final int MAX_PENDING = 256;

    private final Transport transport;
    private volatile Predicate<Channel> admission = accepted -> true;

    private BoundedAccept(Transport transport) {
        this.transport = transport;
    }

    /** The native transport if this machine has it, otherwise that of the JDK. */
    public static BoundedAccept best() {
        io.vertx.core.transport.Transport found = io.vertx.core.transport.Transport.nativeTransport();
        return new BoundedAccept(
                (found != null && found.available() ? found : io.vertx.core.transport.Transport.NIO).implementation());
    }

    /** Lets the next ports that listen admit or close each connection that they accept. */
    public void ask(AcceptFilter next) {
        admission = next::admit;
    }

    /** This transport as Vert.x wants it. */
    public io.vertx.core.transport.Transport forVertx() {
        return new io.vertx.core.transport.Transport() {
            @Override
            public String name() {
                return "bounded";
            }

            @Override
            public boolean available() {
                return true;
            }

            @Override
            public @Nullable Throwable unavailabilityCause() {
                return null;
            }

            @Override
            public Transport implementation() {
                return BoundedAccept.this;
            }
        };
    }

    @Override
    public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
        ChannelFactory<? extends ServerChannel> factory = transport.serverChannelFactory(domainSocket);
        return () -> {
            ServerChannel port = factory.newChannel();
            ChannelPipeline unused = port.pipeline().addFirst("bounded-accept", new Pending(port, admission));
            return port;
        };
    }

    /**
     * The connections of a port that wait for their event loops. On the accepting thread, except
     * {@link #takenOver}.
     */
    private static final class Pending extends ChannelInboundHandlerAdapter {
        private final ServerChannel port;
        private final Predicate<Channel> admission;
        private final AtomicInteger count = new AtomicInteger();

        private Pending(ServerChannel port, Predicate<Channel> admission) {
            this.port = port;
            this.admission = admission;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object accepted) {
            Channel connection = (Channel) accepted;
            if (!admission.test(connection)) {
                return;
            }
            if (count.incrementAndGet() == MAX_PENDING) {
                Object unused = port.config().setAutoRead(false);
            }
            AtomicBoolean counted = new AtomicBoolean(true);
            Runnable takenOver = () -> {
                if (counted.compareAndSet(true, false)) {
                    takenOver();
                }
            };
            ChannelPipeline unused = connection.pipeline().addLast(new FirstHandler(takenOver));
            ChannelFuture unusedEnd = connection.closeFuture().addListener(ended -> takenOver.run());
            context.fireChannelRead(accepted);
        }

        private void takenOver() {
            if (count.decrementAndGet() == MAX_PENDING / 2) {
                port.eventLoop().execute(() -> {
                    Object unused = port.config().setAutoRead(true);
                });
            }
        }
    }

    /** Detects that a connection's event loop has taken it over. */
    private static final class FirstHandler extends ChannelHandlerAdapter {
        private final Runnable begun;

        private FirstHandler(Runnable begun) {
            this.begun = begun;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            ChannelHandler unused = context.pipeline().remove(context.name());
            begun.run();
        }
    }

    @Override
    public boolean supportsDomainSockets() {
        return transport.supportsDomainSockets();
    }

    @Override
    public boolean supportFileRegion() {
        return transport.supportFileRegion();
    }

    @Override
    public boolean isAvailable() {
        return transport.isAvailable();
    }

    @Override
    public Throwable unavailabilityCause() {
        return transport.unavailabilityCause();
    }

    @Override
    public java.net.SocketAddress convert(SocketAddress address) {
        return transport.convert(address);
    }

    @Override
    public SocketAddress convert(java.net.SocketAddress address) {
        return transport.convert(address);
    }

    @Override
    public IoHandlerFactory ioHandlerFactory() {
        return transport.ioHandlerFactory();
    }

    @Override
    public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
        return transport.eventLoopGroup(type, threads, factory, ioRatio);
    }

    @Override
    @SuppressWarnings("deprecation") // the interface of Vert.x
    public DatagramChannel datagramChannel(io.netty.channel.socket.InternetProtocolFamily family) {
        return transport.datagramChannel(family);
    }

    @Override
    public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
        return transport.datagramChannelFactory();
    }

    @Override
    public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
        return transport.channelFactory(domainSocket);
    }

    @Override
    public void configure(DatagramChannel channel, DatagramSocketOptions options) {
        transport.configure(channel, options);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
        transport.configure(config, domainSocket, bootstrap);
    }

    @Override
    public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
        transport.configure(config, domainSocket, bootstrap);
    }
}
