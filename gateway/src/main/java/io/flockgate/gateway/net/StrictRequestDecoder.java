package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Netty's decoder, but stricter. The words of a request line must be separated by one space each, and a header must stand
 * on one line: a proxy may see other words where there are more, or another header; besides, Netty puts a folded header
 * together in quadratic time. There may be so many headers, each of which costs far more memory than its bytes; trailers are
 * not kept. It tells how much it holds of a request that has not come whole.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
    static final int MOST_HEADERS = 256;

    private ByteBuf present = Unpooled.EMPTY_BUFFER;
    private int endOfWord;
    private int headBytes;
    private boolean inBody;

    /** A request line has been read, and the headers behind it have not come whole. */
    private boolean inHeaders;

    private boolean refused;

    StrictRequestDecoder(HttpDecoderConfig config) {
        super(config.setHeadersFactory(new Headers(FewHeaders::new)).setTrailersFactory(new Headers(NoHeaders::new)));
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf buffer, List<Object> out) throws Exception {
        if (!refused && inHeaders && isFolded(buffer)) {
            refused = true;
            HttpMessage folded = createInvalidMessage();
            folded.setDecoderResult(DecoderResult.failure(new IllegalArgumentException("folded header")));
            out.add(folded);
        }
        if (refused) {
            buffer.skipBytes(buffer.readableBytes());
            return;
        }
        present = buffer;
        int unread = buffer.readableBytes();
        int before = out.size();
        super.decode(context, buffer, out);
        inHeaders &= out.size() == before;
        if (!inBody) {
            headBytes += unread - buffer.readableBytes();
        }
        for (int i = before; i < out.size(); i++) {
            note(out.get(i));
        }
    }

    private void note(Object message) {
        if (message instanceof HttpRequest) {
            inBody = true;
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
            headBytes = 0;
        }
    }

    /** Whether a request has begun and not come whole. */
    boolean isPartway() {
        return inBody || held() > 0;
    }

    /** How many bytes are held of the request that has not come whole, its body left out. */
    int held() {
        return headBytes + actualReadableBytes();
    }

    /** Whether a line of those that begin here, up to an empty one, begins with a blank. */
    private static boolean isFolded(ByteBuf buffer) {
        int end = buffer.writerIndex();
        for (int line = buffer.readerIndex(); line >= 0 && line < end; line = nextLine(buffer, line)) {
            byte first = buffer.getByte(line);
            if (first == ' ' || first == '\t') {
                return true;
            }
            boolean carriageReturn = first == '\r' && line + 1 < end;
            if (first == '\n' || (carriageReturn && buffer.getByte(line + 1) == '\n')) {
                return false;
            }
        }
        return false;
    }

    /** -1 when no other line begins. */
    private static int nextLine(ByteBuf buffer, int line) {
        int lineEnd = buffer.indexOf(line, buffer.writerIndex(), (byte) '\n');
        return lineEnd < 0 ? -1 : lineEnd + 1;
    }

    @Override
    protected String splitFirstWordInitialLine(byte[] line, int start, int length) {
        endOfWord = start + length;
        return super.splitFirstWordInitialLine(line, start, length);
    }

    @Override
    protected String splitSecondWordInitialLine(byte[] line, int start, int length) {
        checkSpace(line, start);
        endOfWord = start + length;
        return super.splitSecondWordInitialLine(line, start, length);
    }

    @Override
    protected String splitThirdWordInitialLine(byte[] line, int start, int length) {
        checkSpace(line, start);
        if (isFolded(present)) {
            throw new IllegalArgumentException("folded header");
        }
        inHeaders = true;
        return super.splitThirdWordInitialLine(line, start, length);
    }

    private void checkSpace(byte[] line, int start) {
        if (start != endOfWord + 1 || line[endOfWord] != ' ') {
            throw new IllegalArgumentException("white space in the request line");
        }
    }

    private record Headers(Supplier<HttpHeaders> maker) implements HttpHeadersFactory {
        @Override
        public HttpHeaders newHeaders() {
            return maker.get();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
            return maker.get();
        }
    }

    private static final class FewHeaders extends DefaultHttpHeaders {
        private int count;

        FewHeaders() {
            super(
                    DefaultHttpHeadersFactory.headersFactory().getNameValidator(),
                    DefaultHttpHeadersFactory.headersFactory().getValueValidator());
        }

        @Override
        public HttpHeaders add(CharSequence name, Object value) {
            if (count++ == MOST_HEADERS) {
                throw new TooLongHttpHeaderException("too many headers");
            }
            return super.add(name, value);
        }
    }

    private static final class NoHeaders extends DefaultHttpHeaders {
        NoHeaders() {
            super(
                    DefaultHttpHeadersFactory.trailersFactory().getNameValidator(),
                    DefaultHttpHeadersFactory.trailersFactory().getValueValidator());
        }

        @Override
        public HttpHeaders add(CharSequence name, Object value) {
            return this;
        }
    }
}
