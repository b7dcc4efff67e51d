package io.flockgate.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ServerChannel;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.transport.Transport;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Vert.x's own transport, except that ports accept connections no faster than the event loops take
 * them over. Vert.x accepts on a separate thread, and would queue accepted connections for busy
 * event loops up to the gate's caps. Thousands that have already ended would then precede a client
 * that waits:
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
public final class BoundedAccept {
    private static final int MAX_PENDING = 256;

    private volatile Predicate<Channel> admission = accepted -> true;

    /** The native transport if this machine has it, otherwise that of the JDK. */
    public Transport transport() {
        EpollTransport epoll = new EpollTransport() {
            @Override
            public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
                return bounded(super.serverChannelFactory(domainSocket));
            }
        };
        NioTransport nio = new NioTransport() {
            @Override
            public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
                return bounded(super.serverChannelFactory(domainSocket));
            }
        };
        return new TransportInternal("bounded", true, null, epoll.isAvailable() ? epoll : nio);
    }

    private ChannelFactory<ServerChannel> bounded(ChannelFactory<? extends ServerChannel> factory) {
        return () -> {
            ServerChannel port = factory.newChannel();
            ChannelPipeline unused = port.pipeline().addFirst("bounded-accept", new Pending(port, admission));
            return port;
        };
    }

    /** Lets the next ports that listen admit or close each connection that they accept. */
    public void ask(AcceptFilter next) {
        admission = next::admit;
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
}
