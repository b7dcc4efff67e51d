package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A port, and connections that it has accepted for busy event loops. */
class BoundedAcceptTest {
    private static final int MAX_PENDING = 256;

    private final Transport transport = new BoundedAccept().transport().implementation();
    private final EventLoopGroup accepting = transport.eventLoopGroup(
            Transport.ACCEPTOR_EVENT_LOOP_GROUP, 1, Thread.ofPlatform().daemon().factory(), 50);
    private final List<EmbeddedChannel> connections = new ArrayList<>();

    @AfterEach
    void stop() {
        Future<?> unused = accepting.shutdownGracefully();
    }

    private static void accept(Channel port, EmbeddedChannel connection) throws InterruptedException {
        port.eventLoop()
                .submit(() -> port.pipeline().fireChannelRead(connection))
                .sync();
    }

    private static boolean accepts(Channel port) throws Exception {
        return port.eventLoop().submit(() -> port.config().isAutoRead()).sync().getNow();
    }

    @Test
    void connectionsWaitInTheKernelWhileTheirEventLoopsAreBusy() throws Exception {
        Channel port = new Bootstrap()
                .group(accepting)
                .channelFactory(transport.serverChannelFactory(false))
                .handler(new ChannelInboundHandlerAdapter())
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        for (int i = 0; i < MAX_PENDING; i++) {
            assertThat(accepts(port)).as("after %s connections", i).isTrue();
            connections.add(new EmbeddedChannel(DefaultChannelId.newInstance(), false, false));
            accept(port, connections.getLast());
        }
        assertThat(accepts(port)).isFalse();
        for (int i = 1; i < MAX_PENDING / 2; i++) {
            connections.get(i).register();
        }
        assertThat(accepts(port)).isFalse();
        connections.getFirst().register();
        assertThat(accepts(port)).as("half of them are taken over").isTrue();
    }
}
