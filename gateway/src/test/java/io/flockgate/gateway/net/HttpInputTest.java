package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpInputTest {
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private int contents;

    HttpInputTest() {
        channel.pipeline().addLast("httpDecoder", new HttpRequestDecoder());
        HttpInput unused = new HttpInput(channel.pipeline(), new Unlimited(), new NoRefusals());
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof HttpContent content) {
                    contents++;
                    boolean unused = content.release();
                }
            }
        });
    }

    private static final class Unlimited implements HttpInput.Budget {
        @Override
        public boolean draw(int bytes) {
            return true;
        }

        @Override
        public void giveBack(int bytes) {}
    }

    private static final class NoRefusals implements HttpInput.Refusals {
        @Override
        public void tooManyLines() {
            throw new AssertionError("too many lines");
        }

        @Override
        public void noMemory() {
            throw new AssertionError("no memory");
        }
    }

    @AfterEach
    void close() {
        boolean unused = channel.finishAndReleaseAll();
    }

    private ByteBuf receive(String text) {
        ByteBuf bytes = Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
        channel.pipeline().fireChannelRead(bytes);
        return bytes;
    }

    @Test
    void chunksOfAByteLeaveOthersTheirTurn() {
        ByteBuf unused = receive(HEAD + "1\r\nx\r\n".repeat(1_000) + "0\r\n\r\n");

        assertThat(contents).isBetween(HttpInput.MAX_CONTENTS_IN_TURN, 2 * HttpInput.MAX_CONTENTS_IN_TURN + 128);
        for (int turns = 0; turns < 10; turns++) {
            channel.runPendingTasks();
        }
        assertThat(contents).isEqualTo(1_001);
    }

    @Test
    void whatIsReadWithoutBeingAskedForIsNotKept() {
        channel.config().setAutoRead(false);
        List<ByteBuf> reads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            reads.add(receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n".repeat(300)));
        }

        assertThat(reads).allMatch(read -> read.refCnt() == 0);
        assertThat(contents).isZero();
    }
}
