package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.Polling;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A port whose event loop is busy while clients connect. */
class BoundedAcceptTest {
    private static final int CLIENTS = 600;
    private static final int MAX_PENDING = 256;

    /** The number of connections that the JDK's transport accepts at once. */
    private static final int BATCH = 16;

    private final Transport transport = new BoundedAccept().transport().implementation();
    private final EventLoopGroup accepting = group(Transport.ACCEPTOR_EVENT_LOOP_GROUP);
    private final EventLoopGroup serving = group(Transport.IO_EVENT_LOOP_GROUP);
    private final List<Socket> clients = new ArrayList<>();
    private final Counter accepted = new Counter();
    private final Counter served = new Counter();

    /**
     * Counts what arrives in a pipeline: the connections of a port, or the start of a connection.
     */
    @Sharable
    private static final class Counter extends ChannelInboundHandlerAdapter {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            count.incrementAndGet();
            context.fireChannelRead(read);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (context.channel().parent() != null) {
                count.incrementAndGet();
            }
            context.fireChannelActive();
        }
    }

    private EventLoopGroup group(int type) {
        return transport.eventLoopGroup(type, 1, Thread.ofPlatform().daemon().factory(), 50);
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket each : clients) {
            each.close();
        }
        Future<?> unusedServing = serving.shutdownGracefully();
        Future<?> unusedAccepting = accepting.shutdownGracefully();
    }

    private Channel listen() throws InterruptedException {
        return new ServerBootstrap()
                .group(accepting, serving)
                .channelFactory(transport.serverChannelFactory(false))
                .option(ChannelOption.SO_BACKLOG, CLIENTS)
                .handler(accepted)
                .childHandler(served)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
    }

    private void connectAll(Channel port) throws Exception {
        int number = ((InetSocketAddress) port.localAddress()).getPort();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new Socket(InetAddress.getLoopbackAddress(), number));
        }
    }

    @Test
    void connectionsWaitInTheKernelWhileTheirEventLoopIsBusy() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        try {
            Channel port = listen();
            serving.execute(() -> {
                try {
                    busy.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            connectAll(port);
            int unused = Polling.until(accepted.count::get, count -> count >= MAX_PENDING);
            // The loop checks for connections before each task.
            for (int i = 0; i < CLIENTS; i++) {
                accepting.submit(() -> {}).sync();
            }
            assertThat(accepted.count.get()).isLessThan(MAX_PENDING + BATCH);
            assertThat(served.count.get()).isZero();
        } finally {
            busy.countDown();
        }
        int unused = Polling.until(served.count::get, count -> count == CLIENTS);
    }
}
