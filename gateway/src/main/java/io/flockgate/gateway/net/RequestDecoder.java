package io.flockgate.gateway.net;

import io.flockgate.gateway.limits.Budget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import io.vertx.core.Future;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;
import java.util.List;

/**
 * Vert.x's decoder of requests, with a bound on what a connection keeps. Vert.x 5.2.0 would decode
 * all that it has read, although a decoded head (request line and headers) takes up to thirty times
 * its bytes. On the connection's event loop only.
 *
 * <ol>
 *   <li>A request stays bytes until the one before it is answered, and until the client has read
 *       the answers of earlier turns.
 *   <li>After {@value #MAX_REQUESTS_IN_TURN} requests, other connections have their turn.
 *   <li>While {@value #HIGH_WATER_BYTES} bytes or more wait, nothing is read.
 *   <li>A head has at most {@value #MAX_HEADERS} headers. A long one draws on the budget.
 *   <li>Vert.x answers in the version of a request, which is therefore replaced if it is unknown.
 * </ol>
 */
public final class RequestDecoder extends VertxHttpRequestDecoder {
    static final int MAX_HEADERS = 128;

    /** With the request line. A header may stand on several lines, which Netty joins one by one. */
    private static final int MAX_LINES = MAX_HEADERS + 1;

    static final int MAX_REQUESTS_IN_TURN = 4;
    static final int HIGH_WATER_BYTES = 4 * 1024;
    private static final int DECODED_BYTES_PER_BYTE = 2;
    private static final String NAME = "httpDecoder";

    private final Channel channel;
    private final Budget.Share heads;

    /** The bytes of the head of the request that is not answered. */
    private int headBytes;

    /** The decoded bytes, headers and lines of a head, or of trailers, that is not complete. */
    private int unfinishedBytes;

    private int headers;
    private int lines;

    private boolean inBody;
    private boolean ended;

    private boolean unanswered;

    /** The number of answers that have not left. */
    private int unsent;

    private int requestsInTurn;
    private boolean turnAsked;
    private boolean decoding;

    /** A request, or a part of one, waits as bytes. */
    private boolean waiting;

    /** True while this class has stopped the reading of the socket. */
    private boolean stopped;

    RequestDecoder(Channel channel, Http1ServerConfig config, Budget.Share heads) {
        super(config);
        this.channel = channel;
        this.heads = heads;
    }

    /** Replaces the decoder of a connection. To be called before anything is read. */
    public static RequestDecoder of(HttpConnection connection, Http1ServerConfig config, Budget.Share heads) {
        Channel channel = Channels.of(connection);
        RequestDecoder decoder = new RequestDecoder(channel, config, heads);
        ChannelHandler unused = channel.pipeline().replace(NAME, NAME, decoder);
        return decoder;
    }

    /** A reason to refuse a request that is not malformed. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final int status;

        private Refusal(int status) {
            super("refused", null, false, false);
            this.status = status;
        }
    }

    /** The status of the answer to a request that was not decoded. */
    public static int statusOf(HttpServerRequest request) {
        return statusOf(request.decoderResult().cause());
    }

    static int statusOf(Throwable cause) {
        if (cause instanceof Refusal refusal) {
            return refusal.status;
        }
        return cause instanceof TooLongFrameException ? 431 : 400;
    }

    /**
     * Notes the answer to the request.
     *
     * @param sent completes when the answer has left
     */
    public void answered(Future<Void> sent) {
        unanswered = false;
        headBytes = 0;
        heads.clear();
        if (!sent.isComplete()) {
            unsent++;
            Future<Void> unused = sent.onComplete(ignored -> {
                unsent--;
                resume();
            });
        }
        resume();
    }

    private void resume() {
        if (waiting && !decoding) {
            askForTurn();
        }
    }

    private void askForTurn() {
        if (!turnAsked) {
            turnAsked = true;
            channel.eventLoop().execute(this::nextTurn);
        }
    }

    private void nextTurn() {
        turnAsked = false;
        requestsInTurn = 0;
        ChannelHandlerContext context = channel.pipeline().context(this);
        if (context == null || !waiting || mustWait()) {
            return;
        }
        try {
            decodeFurther(context, Unpooled.EMPTY_BUFFER);
            channelReadComplete(context);
        } catch (Exception e) {
            ChannelHandlerContext unused = context.fireExceptionCaught(e);
        }
    }

    private boolean mustWait() {
        return unanswered
                || requestsInTurn >= MAX_REQUESTS_IN_TURN
                || (unsent > 0 && (requestsInTurn == 0 || !channel.isWritable()));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (!turnAsked) {
            requestsInTurn = 0;
        }
        decodeFurther(context, message);
    }

    private void decodeFurther(ChannelHandlerContext context, Object bytes) throws Exception {
        waiting = false;
        decoding = true;
        try {
            super.channelRead(context, bytes);
        } finally {
            decoding = false;
        }
        if (waiting && requestsInTurn >= MAX_REQUESTS_IN_TURN) {
            askForTurn();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        super.channelReadComplete(context);
        boolean full = waiting && actualReadableBytes() >= HIGH_WATER_BYTES;
        if (full || stopped) {
            stopped = full;
            ChannelConfig unused = channel.config().setAutoRead(!full);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (ended) {
            ByteBuf unused = in.skipBytes(in.readableBytes());
        } else if (inBody || !mustWait()) {
            decodePart(context, in, out);
        } else {
            waiting = true;
            if (!hasRoom(in)) {
                close();
            }
        }
    }

    private void decodePart(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int begin = in.readerIndex();
        super.decode(context, in, out);
        unfinishedBytes += in.readerIndex() - begin;
        if (out.isEmpty()) {
            lines += linesBetween(in, begin);
        } else {
            headBytes = inBody ? headBytes : unfinishedBytes;
            unfinishedBytes = 0;
            lines = 0;
        }
        if (lines > MAX_LINES) {
            refuse(in, out, new TooLongHttpHeaderException("too many lines"));
        } else if ((out.isEmpty() || !inBody) && !hasRoom(in)) {
            refuse(in, out, new Refusal(503));
        }
        for (int i = 0; i < out.size(); i++) {
            decoded(out.get(i));
        }
    }

    private static int linesBetween(ByteBuf in, int begin) {
        int count = 0;
        for (int i = begin; i < in.readerIndex(); i++) {
            count += in.getByte(i) == '\n' ? 1 : 0;
        }
        return count;
    }

    private boolean hasRoom(ByteBuf in) {
        return heads.keep((long) DECODED_BYTES_PER_BYTE * (headBytes + unfinishedBytes) + in.readableBytes(), false);
    }

    private void refuse(ByteBuf in, List<Object> out, Exception cause) {
        ByteBuf unused = in.skipBytes(in.readableBytes());
        if (inBody) {
            close();
            return;
        }
        HttpMessage refused = createInvalidMessage();
        refused.setDecoderResult(DecoderResult.failure(cause));
        out.clear();
        out.add(refused);
    }

    private void close() {
        ended = true;
        ChannelFuture unused = channel.close();
    }

    private void decoded(Object message) {
        if (message instanceof HttpRequest request) {
            checkVersion(request);
            unanswered = true;
            requestsInTurn++;
            inBody = true;
            headers = 0;
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
            headers = 0;
        }
        if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
            ended = true;
        }
    }

    @SuppressWarnings("ReferenceEquality") // Netty's equal versions may be in lower case
    private static void checkVersion(HttpRequest request) {
        HttpVersion version = request.protocolVersion();
        if (version != HttpVersion.HTTP_1_1 && version != HttpVersion.HTTP_1_0) {
            HttpRequest unused = request.setProtocolVersion(HttpVersion.HTTP_1_1);
            if (request.decoderResult().isSuccess()) {
                request.setDecoderResult(DecoderResult.failure(new Refusal(505)));
            }
        }
    }

    /** Netty calls this for each header, and for each trailer. */
    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (++headers > MAX_HEADERS) {
            throw new TooLongHttpHeaderException("too many headers");
        }
        return super.splitHeaderName(line, start, length);
    }

    /** In place of a request whose first line is malformed. */
    @Override
    protected HttpMessage createInvalidMessage() {
        return super.createInvalidMessage().setProtocolVersion(HttpVersion.HTTP_1_1);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        ended = true;
        heads.clear();
        super.handlerRemoved0(context);
    }
}
