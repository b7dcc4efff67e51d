package io.flockgate.gateway.net;

import io.flockgate.gateway.config.Network;
import io.flockgate.gateway.limits.AddressGroup;
import io.flockgate.gateway.limits.Budget;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.log.Throttle;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ShutdownEvent;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits the connections of a port when they are accepted, in front of all that Vert.x adds to
 * them. Thread safe.
 *
 * <ol>
 *   <li>A connection is counted when it is accepted, before TLS exists for it, or closed. That of a
 *       trusted proxy is a peer of its own until its PROXY header has named the client.
 *   <li>The first bytes are checked: a PROXY header from elsewhere, or a client that does not speak
 *       TLS although it should, is logged and closed.
 *   <li>With TLS, {@link TlsFront} takes over, and the handshake is counted until it ends.
 * </ol>
 */
public final class AcceptFilter {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptFilter.class);
    private static final byte HANDSHAKE_RECORD = 22;
    private static final String NO_HEADER = "no valid PROXY header from an address of --proxy-protocol";

    /** Vert.x awaits a header from each client, and gets this one for those without a proxy. */
    private static final ByteBuf NO_PROXY =
            Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("PROXY UNKNOWN\r\n", StandardCharsets.US_ASCII));

    private static final List<ByteBuf> PROXY_HEADERS =
            List.of(NO_PROXY.slice(0, 6), Unpooled.copiedBuffer("\r\n\r\n\0\r\nQUIT\n", StandardCharsets.US_ASCII));

    /** Fewer bytes may begin a request, such as {@code PROPFIND} or one after blank lines. */
    private static final int MIN_OF_HEADER_FOR_HTTP = 5;

    /** Counts out a connection that is not served yet. */
    private static final AttributeKey<Runnable> LEFT = AttributeKey.valueOf(AcceptFilter.class, "left");

    private final Gate gate;
    private final Budget budget;
    private final Resource connections;
    private final @Nullable HandshakeTurns turns;
    private final List<Network> proxies;
    private final Executor computing;
    private final String plainClient;
    private final Throttle throttle = new Throttle(1);

    /**
     * @param connections what a connection of this port counts as
     * @param turns shared by both ports; null without TLS
     * @param proxies begin each connection with a PROXY header; empty if the port awaits none
     */
    public AcceptFilter(
            Vertx vertx,
            Gate gate,
            Budget budget,
            Resource connections,
            @Nullable HandshakeTurns turns,
            List<Network> proxies) {
        this.gate = gate;
        this.budget = budget;
        this.connections = connections;
        this.turns = turns;
        this.proxies = proxies;
        this.computing = ((VertxInternal) vertx).internalWorkerPool().executor();
        this.plainClient =
                (connections == Resource.HTTP_CONNECTION ? "an http client" : "a client") + " does not speak TLS";
    }

    /** Admits a connection that has just been accepted, or closes it. On the accepting thread. */
    boolean admit(Channel connection) {
        InetSocketAddress peer = (InetSocketAddress) connection.remoteAddress();
        boolean proxied = proxies.stream().anyMatch(network -> network.contains(peer.getAddress()));
        Guard guard = new Guard(connection, SocketAddress.inetSocketAddress(peer), proxied);
        if (!guard.enter(proxied ? guard.peer.toString() : AddressGroup.of(PeerAddress.ip(guard.peer)))) {
            connection.unsafe().closeForcibly();
            return false;
        }
        ChannelPipeline unused = connection.pipeline().addLast("accept-filter", guard);
        return true;
    }

    /**
     * Lets the caller decide when a connection leaves its place, instead of its end. On the
     * connection's event loop.
     *
     * @return to be run once
     */
    public static Runnable takeOver(NetSocket connection) {
        return takeOver(Channels.of(connection));
    }

    private static Runnable takeOver(Channel connection) {
        Runnable left = connection.attr(LEFT).getAndSet(null);
        return left == null ? () -> {} : left;
    }

    /** In front of a connection until its first bytes arrive. On its event loop. */
    private final class Guard extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final SocketAddress peer;
        private final boolean proxied;
        private String group = "";
        private boolean handshaking;

        private Guard(Channel channel, SocketAddress peer, boolean proxied) {
            this.channel = channel;
            this.peer = peer;
            this.proxied = proxied;
        }

        /** Counts the connection, unless a cap refuses it. */
        private boolean enter(String counted) {
            group = counted;
            if (gate.enter(connections, counted) != Gate.Entry.ADMITTED) {
                return false;
            }
            channel.attr(LEFT).set(() -> gate.leave(connections, counted));
            ChannelFuture unused = channel.closeFuture().addListener(closed -> {
                endHandshake();
                takeOver(channel).run();
            });
            return true;
        }

        private boolean beginHandshake() {
            handshaking = gate.enter(Resource.HANDSHAKE, group) == Gate.Entry.ADMITTED;
            return handshaking;
        }

        private void endHandshake() {
            if (handshaking) {
                handshaking = false;
                gate.leave(Resource.HANDSHAKE, group);
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channels.fixReads(channel, connections == Resource.HTTP_CONNECTION, turns != null);
            context.fireChannelActive();
            if (!proxies.isEmpty() && !proxied) {
                context.fireChannelRead(NO_PROXY.duplicate());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (begin(bytes)) {
                context.fireChannelRead(message);
                ChannelPipeline unused = channel.pipeline().remove(this);
            } else {
                bytes.release();
                ChannelFuture unused = context.close();
            }
        }

        /** Checks the first bytes. */
        private boolean begin(ByteBuf first) {
            if (proxied) {
                if (PROXY_HEADERS.stream().noneMatch(header -> isAtBeginning(header, first, 1))) {
                    refuse(NO_HEADER);
                    return false;
                }
                String decoder =
                        channel.pipeline().context(HAProxyMessageDecoder.class).name();
                ChannelPipeline unused = channel.pipeline().addAfter(decoder, "header", new Header());
                return true;
            }
            int least = connections == Resource.HTTP_CONNECTION ? MIN_OF_HEADER_FOR_HTTP : 1;
            if (PROXY_HEADERS.stream().anyMatch(header -> isAtBeginning(header, first, least))) {
                refuse(
                        proxies.isEmpty()
                                ? "PROXY header without --proxy-protocol"
                                : "PROXY header from an address outside --proxy-protocol");
                return false;
            }
            if (turns != null && first.getByte(first.readerIndex()) != HANDSHAKE_RECORD) {
                plainClient();
                return false;
            }
            secure();
            return true;
        }

        /** Whether the bytes begin with the header, of which this many must have arrived. */
        private static boolean isAtBeginning(ByteBuf header, ByteBuf bytes, int least) {
            int length = Math.min(header.readableBytes(), bytes.readableBytes());
            return length >= least
                    && ByteBufUtil.equals(header, header.readerIndex(), bytes, bytes.readerIndex(), length);
        }

        private void refuse(String reason) {
            throttle.warn(
                    LOG,
                    "connection refused",
                    line -> line.addKeyValue("peer", peer).addKeyValue("reason", reason));
        }

        private void plainClient() {
            throttle.warn(LOG, plainClient, line -> line.addKeyValue("peer", peer));
        }

        private void secure() {
            if (turns != null) {
                var unused = TlsFront.add(channel, budget.share(), this::beginHandshake, turns, computing)
                        .addListener(this::handshaken);
            }
        }

        private void handshaken(Future<? super Channel> ended) {
            endHandshake();
            try {
                if (ended.isSuccess()) {
                    TlsFront.check(
                            channel.pipeline().get(SslHandler.class).engine().getSession());
                } else {
                    failed(ended.cause());
                }
            } catch (SSLException e) {
                failed(e);
                ChannelFuture unused = channel.close();
            }
        }

        /** If a client does not speak TLS, the failure itself shows what it sent. */
        private void failed(Throwable cause) {
            if (cause instanceof NotSslRecordException) {
                plainClient();
            } else {
                Logging.connectionFailed(LOG, cause).addKeyValue("peer", peer).log("TLS handshake failed");
            }
        }

        /** Vert.x does not end a handshake when its server shuts down. */
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ShutdownEvent && (turns != null || proxied)) {
                ChannelFuture unused = context.close();
            } else {
                context.fireUserEventTriggered(event);
            }
        }

        /** Behind Netty's decoder of PROXY headers. */
        private final class Header extends ChannelInboundHandlerAdapter {
            private boolean read;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                read = true;
                takeOver(channel).run();
                HAProxyMessage header = (HAProxyMessage) message;
                String named = header.sourceAddress();
                if (enter(AddressGroup.of(named == null ? PeerAddress.ip(peer) : named))) {
                    context.fireChannelRead(message);
                    secure();
                    ChannelPipeline unused = context.pipeline().remove(this);
                } else {
                    boolean unused = header.release();
                    ChannelFuture unusedEnd = context.close();
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                if (!read) {
                    refuse(NO_HEADER);
                }
                context.fireExceptionCaught(cause);
            }
        }
    }
}
