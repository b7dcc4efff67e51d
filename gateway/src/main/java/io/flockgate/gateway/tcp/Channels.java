package io.flockgate.gateway.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/** What a socket of Vert.x does not offer itself. On the socket's event loop only. */
final class Channels {
    private Channels() {}

    static Channel of(NetSocket socket) {
        return ((NetSocketInternal) socket).channelHandlerContext().channel();
    }

    /** Ends the connection now: Vert.x's own way to close waits until what was written has left. */
    static void abort(NetSocket socket) {
        ChannelFuture unused =
                ((NetSocketInternal) socket).channelHandlerContext().close();
    }
}
