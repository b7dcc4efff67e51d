package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.limits.Budget;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.Http1ServerConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestDecoderTest {
    private static final String GET = "GET / HTTP/1.1\r\n\r\n";

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Budget budget = new Budget(20_000);
    private final RequestDecoder decoder =
            new RequestDecoder(channel, new Http1ServerConfig().setMaxHeaderSize(16_384), budget.share());
    private final List<HttpRequest> requests = new ArrayList<>();

    /** The number of requests after each turn. */
    private final List<Integer> afterTurns = new ArrayList<>();

    /** The answer to each request, which is given at once. */
    private Future<Void> answer = Future.succeededFuture();

    private boolean answering = true;

    RequestDecoderTest() {
        channel.pipeline().addLast(decoder).addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (message instanceof HttpRequest request) {
                    requests.add(request);
                    if (answering) {
                        decoder.answered(answer);
                    }
                }
                boolean unused = ReferenceCountUtil.release(message);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                afterTurns.add(requests.size());
            }
        });
    }

    @AfterEach
    void close() {
        boolean unused = channel.finishAndReleaseAll();
        assertThat(budget.used()).isZero();
    }

    private void receive(String text) {
        channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
        channel.pipeline().fireChannelReadComplete();
    }

    private int status() {
        return RequestDecoder.statusOf(requests.getLast().decoderResult().cause());
    }

    @Test
    void fourRequestsAreDecodedInATurn() {
        receive(GET.repeat(10));
        channel.runPendingTasks();
        assertThat(afterTurns).startsWith(4, 8, 10);
    }

    @Test
    void theNextRequestWaitsForTheAnswer() {
        answering = false;
        receive(GET.repeat(2));
        channel.runPendingTasks();
        assertThat(requests).hasSize(1);
        decoder.answered(Future.succeededFuture());
        channel.runPendingTasks();
        assertThat(requests).hasSize(2);
    }

    @Test
    void theNextTurnWaitsUntilTheAnswersHaveLeft() {
        Promise<Void> sent = Promise.promise();
        answer = sent.future();
        receive(GET.repeat(10));
        channel.runPendingTasks();
        assertThat(requests).hasSize(4);
        answer = Future.succeededFuture();
        sent.complete();
        channel.runPendingTasks();
        assertThat(requests).hasSize(10);
    }

    @Test
    void readingStopsWhileMuchWaits() {
        answering = false;
        receive(GET);
        receive(GET.repeat(10));
        assertThat(channel.config().isAutoRead()).isTrue();
        receive(GET.repeat(RequestDecoder.HIGH_WATER_BYTES / GET.length()));
        assertThat(channel.config().isAutoRead()).isFalse();
        answering = true;
        decoder.answered(Future.succeededFuture());
        channel.runPendingTasks();
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(requests).hasSize(11 + RequestDecoder.HIGH_WATER_BYTES / GET.length());
    }

    @Test
    void theBodyOfARequestIsDecodedBeforeItsAnswer() {
        answering = false;
        receive("POST / HTTP/1.1\r\nContent-Length: 60000\r\n\r\n");
        receive("x".repeat(60_000));
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(budget.used()).isZero();
    }

    @Test
    void aLongHeadDrawsOnTheBudgetUntilItsAnswer() {
        answering = false;
        receive("GET / HTTP/1.1\r\nX: " + "x".repeat(5_000) + "\r\n\r\n");
        assertThat(budget.used()).isBetween(5_000L, 7_000L);
        decoder.answered(Future.succeededFuture());
        assertThat(budget.used()).isZero();
    }

    @Test
    void aHeadWithoutRoomIsRefused() {
        receive("GET / HTTP/1.1\r\nX: " + "x".repeat(15_000) + "\r\n");
        assertThat(requests).hasSize(1);
        assertThat(status()).isEqualTo(503);
        receive(GET);
        assertThat(requests).hasSize(1);
    }

    @Test
    void aConnectionEndsThatSendsMoreAheadThanFits() {
        answering = false;
        receive(GET);
        receive("x".repeat(30_000));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aHeadHasABoundedNumberOfHeaders() {
        String head = "GET / HTTP/1.1\r\n" + "X: y\r\n".repeat(RequestDecoder.MAX_HEADERS);
        receive(head + "\r\n");
        assertThat(requests.getLast().decoderResult().isSuccess()).isTrue();
        receive(head + "X");
        assertThat(requests).hasSize(1);
        receive(": y\r\n");
        assertThat(status()).isEqualTo(431);
    }

    @Test
    void aHeaderOfManyLinesIsRefused() {
        receive("GET / HTTP/1.1\r\nX: y\r\n" + " \r\n".repeat(RequestDecoder.MAX_HEADERS));
        assertThat(status()).isEqualTo(431);
    }
}
