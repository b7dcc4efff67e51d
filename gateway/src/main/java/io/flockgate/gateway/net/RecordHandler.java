package io.flockgate.gateway.net;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;

/**
 * Reads and writes TLS records, and ends the connection if its unfinished record does not fit into
 * the memory for those of all connections. On the connection's event loop, except the computations
 * of the handshake.
 */
final class RecordHandler extends SslHandler {
    /** Shorter records are not counted. */
    private static final int MIN_BYTES = 4096;

    /** The buffer in which Netty gathers a record is up to this many times as large. */
    private static final int OF_BUFFER = 2;

    private final KeptBytes memory;
    private int counted;

    RecordHandler(SSLEngine engine, Executor computations, KeptBytes memory) {
        super(engine, computations);
        this.memory = memory;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        super.channelRead(context, message);
        int kept = context.isRemoved() ? 0 : actualReadableBytes();
        if (!count(kept < MIN_BYTES ? 0 : kept * OF_BUFFER)) {
            ChannelFuture unused = context.close();
        }
    }

    private boolean count(int now) {
        int before = counted;
        counted = now;
        return before == now || memory.replace(before, now);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        boolean unused = count(0);
        super.channelInactive(context);
    }

    @Override
    public void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        boolean unused = count(0);
        super.handlerRemoved0(context);
    }
}
