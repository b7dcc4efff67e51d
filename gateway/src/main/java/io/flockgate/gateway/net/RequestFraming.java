package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Cuts the bytes of an HTTP connection into pieces for Netty's decoder, so that a body begins with
 * its own piece. Follows what the decoder makes of the pieces, and decides only one thing about a
 * request: it corrupts a chunk-size line that the decoder would accept too leniently ({@link
 * ChunkSizes}), so that the decoder refuses the body. On one thread.
 */
final class RequestFraming {
    private static final int PIECE_BYTES = 1024;

    /**
     * In place of any byte of a size line, except one after a carriage return, this makes the
     * decoder refuse the line.
     */
    private static final int BARE_LINE_FEED = '\n';

    private final ChunkSizes chunks = new ChunkSizes();

    private long bodyLeft;
    private boolean inMessage;
    private int lines;

    /** Nothing but carriage returns has arrived since the last line feed. */
    private boolean lineIsEmpty = true;

    private boolean lineBeforeIsEmpty = true;

    /** The piece ends with the empty line after a head, or after trailers. */
    private boolean endsWithEmptyLine;

    private boolean beginsChunks;

    /** The length of the next piece. */
    int cut(ByteBuf bytes) {
        lines = 0;
        endsWithEmptyLine = false;
        beginsChunks = false;
        int length = Math.min(bytes.readableBytes(), PIECE_BYTES);
        return bodyLeft > 0 ? (int) Math.min(length, bodyLeft) : upToEmptyLine(bytes, length);
    }

    /** Whether the next bytes belong to a body. Trailers do not. */
    boolean isInBody() {
        return bodyLeft > 0 || chunks.isFollowing();
    }

    /** Whether a request has begun whose body or trailers have not arrived completely. */
    boolean isInMessage() {
        return inMessage;
    }

    /**
     * The number of lines that end in the last piece. Those of a body with a length are not
     * counted.
     */
    int lines() {
        return lines;
    }

    /**
     * Whether a chunked body begins after the last piece. A malformed one must not hold up the
     * answers before it.
     */
    boolean beginsChunks() {
        return beginsChunks;
    }

    private int upToEmptyLine(ByteBuf bytes, int length) {
        int begin = bytes.readerIndex();
        for (int i = begin; i < begin + length; i++) {
            byte next = bytes.getByte(i);
            if (next == '\n') {
                lines++;
                endsWithEmptyLine = lineIsEmpty && !lineBeforeIsEmpty;
                lineBeforeIsEmpty = lineIsEmpty;
                lineIsEmpty = true;
                if (endsWithEmptyLine) {
                    return i + 1 - begin;
                }
            } else if (next != '\r') {
                lineIsEmpty = false;
            }
        }
        return length;
    }

    /** To be called with each piece before the decoder has it. */
    void check(ByteBuf piece) {
        int wrong = chunks.follow(piece);
        if (wrong >= 0) {
            ByteBuf unused = piece.setByte(wrong, BARE_LINE_FEED);
            chunks.end();
        }
    }

    /** To be called with each message that the decoder makes of the last piece. */
    void decoded(Object message) {
        inMessage = !(message instanceof LastHttpContent);
        if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
            if (!HttpUtil.isTransferEncodingChunked(request)) {
                bodyLeft = HttpUtil.getContentLength(request, 0L);
            } else if (endsWithEmptyLine) {
                chunks.begin();
                beginsChunks = true;
            }
        }
        if (message instanceof HttpContent content) {
            bodyLeft -= content.content().readableBytes();
        }
        if (message instanceof LastHttpContent) {
            bodyLeft = 0;
            chunks.end();
        }
    }
}
