package io.flockgate.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The TLS handshake of one connection. The engine of a connection holds its lock while a worker computes, so the event loop must not
 * close it meanwhile:
 *
 * <ol>
 *   <li>{@link SslHandler} reads the client's messages and has their computations run in the connection's lane of {@link HandshakeTasks}.
 *   <li>Until the handshake is complete, nothing passes to the handlers behind it.
 *   <li>A connection that ends before that, by its client, its timeout or the gateway, loses its {@code SslHandler} first. The engine is left to
 *       the garbage collector, and a computation that waits is dropped.
 * </ol>
 *
 * <p>On the connection's event loop only.
 */
final class TlsHandshake {
    private final HandshakeTasks.Lane lane;
    private final SslHandler handler;
    private boolean complete;

    private TlsHandshake(SslContext context, Channel channel, HandshakeTasks.Lane lane) {
        this.lane = lane;
        this.handler = context.newHandler(channel.alloc(), lane);
        // SslHandler's own timeout would close the engine while a worker computes.
        handler.setHandshakeTimeout(0, TimeUnit.NANOSECONDS);
    }

    /**
     * Puts TLS in front of a connection that has just been accepted. The future completes when the handshake is over; the connection of
     * one that fails or takes longer than the timeout is closed.
     */
    static Future<Channel> begin(SslContext context, Channel channel, HandshakeTasks.Lane lane, long timeoutNanos) {
        TlsHandshake handshake = new TlsHandshake(context, channel, lane);
        ChannelPipeline unused = channel.pipeline()
                .addFirst("ssl-front", handshake.new Front())
                .addAfter("ssl-front", "ssl", handshake.handler)
                .addAfter("ssl", "ssl-end", handshake.new End());
        Future<?> timeout =
                channel.eventLoop().schedule(() -> handshake.timedOut(channel), timeoutNanos, TimeUnit.NANOSECONDS);
        var unusedEnd = channel.closeFuture().addListener(ignored -> lane.close());
        return handshake.handler.handshakeFuture().addListener(ended -> {
            handshake.complete = ended.isSuccess();
            boolean unusedCancelled = timeout.cancel(false);
        });
    }

    private void timedOut(Channel channel) {
        if (!complete) {
            ChannelFuture unused = channel.close();
        }
    }

    /** Takes TLS out of a connection that ends before its handshake is complete. */
    private void remove(ChannelHandlerContext context) {
        lane.close();
        if (!complete && !handlerIsRemoved(context)) {
            ChannelHandler unused = context.pipeline().remove("ssl");
        }
    }

    private boolean handlerIsRemoved(ChannelHandlerContext context) {
        return context.pipeline().context(handler) == null;
    }

    /** In front of {@link SslHandler}. */
    private final class Front extends ChannelInboundHandlerAdapter {
        @Override
        public void channelInactive(ChannelHandlerContext context) {
            remove(context);
            context.fireChannelInactive();
        }
    }

    /** Behind {@link SslHandler}. */
    private final class End extends ChannelDuplexHandler {
        /** What is not decrypted, which SslHandler passes on when it is removed, ends here. */
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (complete) {
                context.fireChannelRead(message);
            } else {
                boolean unused = ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            remove(context);
            ChannelFuture unused = context.close(promise);
        }

        /** The peer has ended its side of TLS: it sends nothing more, as if it had ended its side of the connection. */
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (!(event instanceof SslCloseCompletionEvent end && end.isSuccess())) {
                context.fireUserEventTriggered(event);
            } else if (Boolean.TRUE.equals(context.channel().config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))) {
                context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                ChannelFuture unused = context.close();
            }
        }
    }
}
