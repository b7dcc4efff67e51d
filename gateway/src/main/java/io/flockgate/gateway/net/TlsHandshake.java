package io.flockgate.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
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
import io.netty.util.concurrent.Promise;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The TLS handshake of one connection. The engine of a connection holds its lock while a worker
 * computes, so the event loop must not close it meanwhile:
 *
 * <ol>
 *   <li>The client's first bytes cause the engine to be created, if the port has room for one more
 *       handshake. Otherwise the connection is closed.
 *   <li>{@link SslHandler} reads the client's messages and runs their computations in the
 *       connection's lane of {@link HandshakeTasks}.
 *   <li>Until the handshake is complete, nothing passes to the handlers behind it.
 *   <li>If the client, the timeout or the gateway ends a connection before that, its {@code
 *       SslHandler} is removed first. The engine is left to the garbage collector, and a queued
 *       computation is dropped.
 * </ol>
 *
 * <p>On the connection's event loop only.
 */
final class TlsHandshake {
    /** Shared by both ports. */
    private static final KeptBytes RECORDS =
            KeptBytes.ofHeap(Runtime.getRuntime().maxMemory());

    private final Admission admission;
    private final Channel channel;
    private final HandshakeTasks.Lane lane;
    private final Promise<Channel> done;
    private @Nullable SslHandler handler;
    private boolean complete;

    /** Decides on each handshake that begins. */
    interface Admission {
        /**
         * The context for one more handshake; null if there are too many.
         *
         * @param evict ends the handshake in favour of another one. It may be called on any thread
         */
        @Nullable
        SslContext enter(Runnable evict);

        /** An admitted handshake has ended. */
        void leave();
    }

    private TlsHandshake(Admission admission, Channel channel, HandshakeTasks.Lane lane) {
        this.admission = admission;
        this.channel = channel;
        this.lane = lane;
        this.done = channel.eventLoop().newPromise();
    }

    /**
     * Puts TLS in front of a connection that has just been accepted. The future completes when the
     * handshake is complete; if it fails or takes longer than the timeout, the connection is
     * closed.
     */
    static Future<Channel> begin(Admission admission, Channel channel, HandshakeTasks.Lane lane, long timeoutNanos) {
        Channels.readFewRecords(channel);
        TlsHandshake handshake = new TlsHandshake(admission, channel, lane);
        ChannelPipeline unused = channel.pipeline()
                .addFirst("ssl-front", handshake.new Front())
                .addAfter("ssl-front", "ssl-end", handshake.new End());
        Future<?> timeout =
                channel.eventLoop().schedule(handshake::closeUnlessComplete, timeoutNanos, TimeUnit.NANOSECONDS);
        var unusedEnd = channel.closeFuture().addListener(ignored -> handshake.closed());
        return handshake.done.addListener(ended -> {
            boolean unusedCancelled = timeout.cancel(false);
        });
    }

    private void start(ChannelHandlerContext context) {
        SslContext admitted = admission.enter(() -> channel.eventLoop().execute(this::closeUnlessComplete));
        if (admitted == null) {
            ChannelFuture unused = channel.close();
            return;
        }
        DataEngine engine = new DataEngine(admitted.newEngine(channel.alloc()));
        SslHandler added = new RecordHandler(engine, lane, RECORDS);
        // SslHandler's own timeout would close the engine while a worker computes.
        added.setHandshakeTimeout(0, TimeUnit.NANOSECONDS);
        handler = added;
        ChannelPipeline unused = context.pipeline().addAfter(context.name(), "ssl", added);
        var unusedEnd = added.handshakeFuture().addListener(ended -> {
            complete = ended.isSuccess();
            if (complete) {
                engine.completeHandshake();
            }
            admission.leave();
            boolean unusedDone = complete ? done.trySuccess(channel) : done.tryFailure(ended.cause());
        });
    }

    private void closed() {
        lane.close();
        boolean unused = done.tryFailure(new ClosedChannelException());
    }

    /** The session of a connection whose handshake is complete. */
    static SSLSession session(Channel channel) {
        return channel.pipeline().get(SslHandler.class).engine().getSession();
    }

    private void closeUnlessComplete() {
        if (!complete) {
            ChannelFuture unused = channel.close();
        }
    }

    /** Removes TLS from a connection that ends before its handshake is complete. */
    private void remove() {
        lane.close();
        SslHandler added = handler;
        if (!complete && added != null && channel.pipeline().context(added) != null) {
            ChannelPipeline unused = channel.pipeline().remove(added);
        }
    }

    /** In front of {@link SslHandler}. */
    private final class Front extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (handler == null) {
                start(context);
            }
            context.fireChannelRead(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            remove();
            context.fireChannelInactive();
        }
    }

    /** Behind {@link SslHandler}. */
    private final class End extends ChannelDuplexHandler {
        /**
         * Discards the bytes that are not decrypted, which SslHandler passes on when it is removed.
         */
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (complete) {
                context.fireChannelRead(message);
            } else {
                boolean unused = ReferenceCountUtil.release(message);
            }
        }

        /**
         * Vert.x writes an empty buffer before it closes. SslHandler would keep it until the
         * handshake is complete.
         */
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (complete) {
                ChannelFuture unused = context.write(message, promise);
            } else {
                boolean unusedRelease = ReferenceCountUtil.release(message);
                boolean unusedDone = promise.trySuccess();
            }
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            remove();
            ChannelFuture unused = context.close(promise);
        }

        /**
         * The peer has closed its side of TLS, which is handled like closing its side of the
         * connection, because it sends nothing further.
         */
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
