package io.flockgate.gateway.net;

import io.flockgate.gateway.limits.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.vertx.core.net.impl.ShutdownEvent;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Passes the records of one client to Vert.x's TLS, one at a time, and limits what they cost. On
 * the connection's event loop.
 *
 * <ol>
 *   <li>During the handshake, records wait for their turn ({@link HandshakeTurns}). At the first
 *       one, the handshake gets its place or ends. The records have at most {@value
 *       #MAX_HANDSHAKE_BYTES} bytes, because the JDK's engine turns them into thirty times as many.
 *   <li>A client has at most {@value #MAX_SCHEMES} signature schemes, because the engine keeps each
 *       one as long as the connection lasts, repeated ones included.
 *   <li>After the handshake, a client that sends too many records without data is disconnected: key
 *       updates, alerts, and empty records. Each costs as much as a request, and the answer to a
 *       key update waits in memory until the client reads.
 *   <li>Incomplete records, and those that wait, draw from the budget of bytes.
 * </ol>
 */
final class TlsFront extends ChannelInboundHandlerAdapter {
    /** A first message with a session ticket, and an ordinary chain of three certificates. */
    static final int MAX_HANDSHAKE_BYTES = 16 * 1024;

    static final int MAX_SCHEMES = 64;
    static final int MAX_WITHOUT_DATA = 8;

    /** This many records with data make up for one without: clients may update their keys. */
    static final int WITH_DATA = 256;

    private static final int MAX_RECORD_BYTES = 5 + 16 * 1024 + 2048;
    private static final int LENGTH_OFFSET = 3;
    private static final int LENGTH_BYTES = 2;

    /** The buffer in which Netty gathers a record is up to this many times as large. */
    private static final int OF_BUFFER = 2;

    private final Channel channel;
    private final HandshakeTurns turns;
    private final Executor computing;
    private final Runnable turn;
    private final Budget.Share memory;
    private final BooleanSupplier admission;
    private int handshakeBytes;
    private boolean complete;

    /** The records of a handshake that wait for their turn. */
    private @Nullable ByteBuf held;

    private boolean admitted;
    private boolean sawData;
    private int withoutData;
    private int withData;

    private TlsFront(
            Channel channel, Budget.Share memory, BooleanSupplier admission, HandshakeTurns turns, Executor computing) {
        this.channel = channel;
        this.memory = memory;
        this.admission = admission;
        this.turns = turns;
        this.computing = computing;
        this.turn = () -> channel.eventLoop().execute(this::proceed);
    }

    /**
     * Puts it in front of TLS, before the client's first bytes are passed on.
     *
     * @param admission whether there is a place for the handshake, which then takes it
     * @param computing the threads that compute for handshakes, one task after the other
     * @return the end of the handshake
     */
    static Future<Channel> add(
            Channel channel, Budget.Share memory, BooleanSupplier admission, HandshakeTurns turns, Executor computing) {
        TlsFront front = new TlsFront(channel, memory, admission, turns, computing);
        ChannelPipeline unused = channel.pipeline()
                .addBefore("ssl", "frames", front.new Frames())
                .addBefore("ssl", "records", front)
                .addAfter("ssl", "data", front.new Data());
        return channel.pipeline().get(SslHandler.class).handshakeFuture().addListener(ended -> {
            front.complete = ended.isSuccess();
        });
    }

    /**
     * Checks what the engine keeps of a client as long as the connection lasts.
     *
     * @throws SSLException if it is too much
     */
    static void check(SSLSession session) throws SSLException {
        if (session instanceof ExtendedSSLSession extended
                && extended.getPeerSupportedSignatureAlgorithms().length > MAX_SCHEMES) {
            session.invalidate();
            throw new SSLException("too many signature schemes");
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf record = (ByteBuf) message;
        if (complete && held == null) {
            pass(context, record);
            return;
        }
        handshakeBytes += record.readableBytes();
        if (handshakeBytes > MAX_HANDSHAKE_BYTES) {
            record.release();
            ChannelFuture unused = context.close();
        } else if (held != null) {
            held = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(channel.alloc(), held, record);
        } else {
            held = record;
            turns.await(turn, admitted);
        }
    }

    /** Passes the held records on. The turn ends when the threads have computed for them. */
    private void proceed() {
        ByteBuf records = held;
        if (records == null) {
            turns.end();
            return;
        }
        held = null;
        boolean unused = memory.keep(0, false);
        ChannelHandlerContext context = channel.pipeline().context(this);
        admitted = admitted || admission.getAsBoolean();
        if (!admitted) {
            records.release();
            turns.end();
            ChannelFuture unusedEnd = context.close();
            return;
        }
        context.fireChannelRead(records);
        context.fireChannelReadComplete();
        try {
            computing.execute(turns::end);
        } catch (RejectedExecutionException e) {
            // The process is shutting down.
            turns.end();
        }
    }

    private void pass(ChannelHandlerContext context, ByteBuf record) {
        sawData = false;
        context.fireChannelRead(record);
        if (!sawData) {
            withoutData++;
        } else if (withoutData > 0 && ++withData == WITH_DATA) {
            withData = 0;
            withoutData--;
        }
        if (withoutData > MAX_WITHOUT_DATA) {
            ChannelFuture unused = context.close();
        }
    }

    /**
     * Takes TLS from a connection that ends in its handshake. Otherwise Netty would close its
     * engine, and wait for the thread that computes for it.
     */
    @Override
    public void channelInactive(ChannelHandlerContext context) {
        memory.clear();
        ByteBuf records = held;
        if (records != null) {
            held = null;
            turns.forget(turn);
            records.release();
        }
        SslHandler ssl = channel.pipeline().get(SslHandler.class);
        if (ssl != null && !ssl.handshakeFuture().isDone()) {
            ChannelPipeline unused = channel.pipeline().remove(ssl);
        }
        context.fireChannelInactive();
    }

    /** Vert.x does not end a handshake when its server shuts down. */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ShutdownEvent && !complete) {
            ChannelFuture unused = context.close();
        } else {
            context.fireUserEventTriggered(event);
        }
    }

    /** Gathers the bytes of each record. */
    private final class Frames extends LengthFieldBasedFrameDecoder {
        private Frames() {
            super(MAX_RECORD_BYTES, LENGTH_OFFSET, LENGTH_BYTES);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            super.channelRead(context, message);
            ByteBuf waiting = held;
            int kept = (context.isRemoved() || !channel.isActive() ? 0 : actualReadableBytes())
                    + (waiting == null ? 0 : waiting.readableBytes());
            if (!memory.keep((long) OF_BUFFER * kept, false)) {
                ChannelFuture unused = context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ChannelFuture unused = context.close();
        }
    }

    /** Behind TLS. */
    private final class Data extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            sawData = true;
            context.fireChannelRead(message);
        }

        /**
         * The peer has closed its side of TLS, which is handled like closing its side of the
         * connection, because it sends nothing further.
         */
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (!(event instanceof SslCloseCompletionEvent end && end.isSuccess())) {
                context.fireUserEventTriggered(event);
            } else if (Boolean.TRUE.equals(channel.config().getOption(ChannelOption.ALLOW_HALF_CLOSURE))) {
                context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            } else {
                ChannelFuture unused = context.close();
            }
        }
    }
}
