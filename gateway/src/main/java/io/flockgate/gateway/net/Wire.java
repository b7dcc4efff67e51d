package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the bytes of a socket without Vert.x's queues, which saves 4 to 10 % of the
 * server's CPU for an acquire and release (docs/design/performance.md, "Own code"). Vert.x still
 * handles the rest: TLS, the end of the connection, failures. Nothing else may write to the socket.
 * On the socket's event loop only.
 */
public final class Wire {
    private static final Future<Void> WRITTEN = Future.succeededFuture();

    /** Vert.x's own handler in the pipeline. Bytes written from there pass through TLS. */
    private final ChannelHandlerContext context;

    private final ContextInternal owner;

    private @Nullable ByteBuf gathered;
    private boolean wanted = true;

    private Wire(ChannelHandlerContext context, ContextInternal owner) {
        this.context = context;
        this.owner = owner;
    }

    /** To be called before anything is read, like {@link #start}, on the socket's own context. */
    public static Wire of(NetSocket socket) {
        return new Wire(((NetSocketInternal) socket).channelHandlerContext(), ContextInternal.current());
    }

    /** Passes all bytes that arrive to a receiver, to which the arrays then belong. */
    public void start(Handler<byte[]> receiver) {
        ChannelPipeline unused = context.pipeline().addBefore(context.name(), "wire", new ByteHandler(receiver));
    }

    /**
     * Resumes or pauses reading, which also pauses while the socket's queue is full, until the peer
     * has read from it. Bytes that have already been read are still passed to the receiver.
     */
    public void read(boolean on) {
        if (wanted != on) {
            wanted = on;
            readOrPause();
        }
    }

    private void readOrPause() {
        Channel channel = context.channel();
        channel.config().setAutoRead(wanted && channel.isWritable());
    }

    /** Gathers bytes that the next {@link #flush} writes. Copies them. */
    public void add(byte[] bytes, int length) {
        ByteBuf before = gathered;
        ByteBuf buffer = before == null ? context.alloc().ioBuffer(length) : before;
        buffer.writeBytes(bytes, 0, length);
        gathered = buffer;
    }

    /** The bytes that the next {@link #flush} writes. */
    public int gathered() {
        ByteBuf buffer = gathered;
        return buffer == null ? 0 : buffer.readableBytes();
    }

    /** Writes the gathered bytes; succeeds once the operating system has accepted all of them. */
    public Future<Void> flush() {
        ByteBuf buffer = gathered;
        if (buffer == null) {
            return WRITTEN;
        }
        gathered = null;
        ChannelFuture write = context.writeAndFlush(buffer);
        return write.isSuccess() ? WRITTEN : pending(write);
    }

    private Future<Void> pending(ChannelFuture write) {
        Promise<Void> promise = owner.promise();
        ChannelFuture unused = write.addListener(done -> {
            if (done.isSuccess()) {
                promise.complete();
            } else {
                promise.fail(done.cause());
            }
        });
        return promise.future();
    }

    /** Discards the gathered bytes, because the connection has ended. */
    public void ended() {
        ByteBuf buffer = gathered;
        gathered = null;
        if (buffer != null) {
            buffer.release();
        }
    }

    private final class ByteHandler extends ChannelInboundHandlerAdapter {
        private final Handler<byte[]> receiver;

        private ByteHandler(Handler<byte[]> receiver) {
            this.receiver = receiver;
        }

        @Override
        public void channelRead(ChannelHandlerContext from, Object message) {
            if (message instanceof ByteBuf buffer) {
                byte[] bytes = new byte[buffer.readableBytes()];
                buffer.readBytes(bytes);
                buffer.release();
                owner.emit(bytes, receiver);
            } else {
                from.fireChannelRead(message);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext from) {
            readOrPause();
            from.fireChannelWritabilityChanged();
        }
    }
}
