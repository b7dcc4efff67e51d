package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import java.util.List;

/**
 * Netty's decoder, but that the words of a request line must be separated by one space each: a proxy may see other words
 * where there are more, or other white space. It has a limit on the number of headers, and tells how much it holds of a
 * request that has not come whole.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
    /** Each takes some hundred bytes of memory, of which a client need send only four. Trailers count too. */
    private static final int MOST_HEADERS = 256;

    private int endOfWord;
    private int headers;
    private int headBytes;
    private boolean inBody;

    StrictRequestDecoder(HttpDecoderConfig config) {
        super(config);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> messages) throws Exception {
        int before = bytes.readableBytes();
        int count = messages.size();
        super.decode(context, bytes, messages);
        if (!inBody) {
            headBytes += before - bytes.readableBytes();
        }
        for (int i = count; i < messages.size(); i++) {
            note(messages.get(i));
        }
    }

    private void note(Object message) {
        if (message instanceof HttpRequest) {
            inBody = true;
        }
        if (message instanceof LastHttpContent) {
            inBody = false;
            headBytes = 0;
            headers = 0;
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

    @Override
    protected AsciiString splitHeaderName(byte[] line, int start, int length) {
        if (++headers > MOST_HEADERS) {
            throw new TooLongHttpHeaderException("more than " + MOST_HEADERS + " headers");
        }
        return super.splitHeaderName(line, start, length);
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
        return super.splitThirdWordInitialLine(line, start, length);
    }

    private void checkSpace(byte[] line, int start) {
        if (start != endOfWord + 1 || line[endOfWord] != ' ') {
            throw new IllegalArgumentException("white space in the request line");
        }
    }
}
