package io.flockgate.gateway.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.http.impl.http1.Http1ServerConnection;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/** Operations on sockets that Vert.x does not offer. On the socket's event loop only. */
public final class Channels {
    /**
     * A fixed size for reads of the line protocol, which Netty would otherwise guess from the last
     * ones. When long and short reads alternate, its guess is sometimes too small, so that bytes
     * that came together are read, and answered, in two pieces. A client that has sent more must
     * wait until all others have had their turn.
     */
    private static final RecvByteBufAllocator READ_SIZE = readsOf(8192);

    /** The same for HTTP, whose requests cost more. */
    private static final RecvByteBufAllocator HTTP_READ_SIZE = readsOf(2048);

    /**
     * The size of reads through TLS, fixed for the same reasons. A record may contain a single
     * byte, so that 8192 bytes may be 356 records, each with the cost of a read.
     */
    private static final RecvByteBufAllocator TLS_READ_SIZE = readsOf(512);

    private Channels() {}

    private static RecvByteBufAllocator readsOf(int bytes) {
        return new FixedRecvByteBufAllocator(bytes).maxMessagesPerRead(1);
    }

    static Channel of(NetSocket socket) {
        return ((NetSocketInternal) socket).channelHandlerContext().channel();
    }

    /** The channel of a connection of the HTTP server. */
    static Channel of(HttpConnection connection) {
        return ((HttpServerConnection) connection).channelHandlerContext().channel();
    }

    /** Fixes the size of the reads of a connection. To be called before anything is read. */
    static void fixReads(Channel channel, boolean http, boolean tls) {
        RecvByteBufAllocator plain = http ? HTTP_READ_SIZE : READ_SIZE;
        channel.config().setRecvByteBufAllocator(tls ? TLS_READ_SIZE : plain);
    }

    /** Passes the requests of a connection to its own handler, instead of that of the server. */
    public static void handleRequests(HttpConnection connection, Handler<HttpServerRequest> handler) {
        HttpServerConnection unused = ((Http1ServerConnection) connection).handler(handler);
    }

    /**
     * Ends the connection now, whereas Vert.x's own close waits until what was written has left.
     */
    public static void abort(NetSocket socket) {
        ChannelFuture unused =
                ((NetSocketInternal) socket).channelHandlerContext().close();
    }

    /**
     * Keeps a socket open when its peer has closed its sending side, and runs the action then.
     * Otherwise the socket would be closed at once, although replies are still due. To be called
     * before anything is read, on the socket's own context.
     */
    public static void whenInputEnds(NetSocket socket, Runnable ended) {
        Channel channel = of(socket);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        ContextInternal owner = ContextInternal.current();
        String vertx = ((NetSocketInternal) socket).channelHandlerContext().name();
        channel.pipeline().addBefore(vertx, "end", new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event instanceof ChannelInputShutdownEvent) {
                    owner.emit(ignored -> ended.run());
                }
                context.fireUserEventTriggered(event);
            }
        });
    }
}
