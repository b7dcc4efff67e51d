package io.flockgate.gateway.net;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Netty's decoder, but that the words of a request line must be separated by one space each: a proxy may see other words
 * where there are more, or other white space.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
    private int endOfWord;

    StrictRequestDecoder(HttpDecoderConfig config) {
        super(config);
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
