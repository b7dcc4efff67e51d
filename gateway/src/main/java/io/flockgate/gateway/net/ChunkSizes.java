package io.flockgate.gateway.net;

import io.netty.buffer.ByteBuf;

/**
 * Follows the chunks of one request's body and finds chunk-size lines that Netty's decoder accepts
 * more leniently than RFC 9112, section 7.1: with blanks before the size, or with text after it
 * that is not an extension. On one thread.
 *
 * <ol>
 *   <li>A size line: hexadecimal digits, and perhaps blanks; then a carriage return, or a
 *       semicolon. The rest of the line is not checked.
 *   <li>The chunk itself, and its line end.
 *   <li>After the chunk of size 0 come trailers, which are not followed.
 * </ol>
 *
 * The decoder checks everything else: the line ends, the maximum size, the trailers.
 */
final class ChunkSizes {
    private enum State {
        OUTSIDE,
        SIZE,
        AFTER_SIZE,
        EXTENSION,
        CHUNK,
        CHUNK_END
    }

    /** The decoder accepts no larger size. */
    private static final long MAX_SIZE = 0xfff_ffffL;

    private State state = State.OUTSIDE;
    private boolean digits;
    private long size;

    /** The next byte is the first of a body in chunks. */
    void begin() {
        beginSize();
    }

    /** The body has ended. */
    void end() {
        state = State.OUTSIDE;
    }

    boolean isFollowing() {
        return state != State.OUTSIDE;
    }

    /**
     * Takes bytes of the body.
     *
     * @return the index of the first byte that is not allowed there, or -1
     */
    int follow(ByteBuf bytes) {
        int end = bytes.writerIndex();
        int i = bytes.readerIndex();
        while (i < end && isFollowing()) {
            if (state == State.CHUNK) {
                int skipped = (int) Math.min(size, end - i);
                size -= skipped;
                i += skipped;
                state = size == 0 ? State.CHUNK_END : State.CHUNK;
            } else if (take(bytes.getByte(i))) {
                i++;
            } else {
                return i;
            }
        }
        return -1;
    }

    private boolean take(byte next) {
        return switch (state) {
            case SIZE -> takeOfSize(next);
            case AFTER_SIZE -> takeAfterSize(next);
            case EXTENSION -> {
                lineEnd(next);
                yield true;
            }
            case CHUNK_END -> {
                if (next == '\n') {
                    beginSize();
                }
                yield true;
            }
            case CHUNK, OUTSIDE -> true;
        };
    }

    private boolean takeOfSize(byte next) {
        int digit = Character.digit(next, 16);
        if (digit >= 0) {
            digits = true;
            size = Math.min(size * 16 + digit, MAX_SIZE);
            return true;
        }
        state = State.AFTER_SIZE;
        return digits && takeAfterSize(next);
    }

    private boolean takeAfterSize(byte next) {
        if (next == ';' || next == '\r') {
            state = State.EXTENSION;
        }
        lineEnd(next);
        return next == ' ' || next == '\t' || next == '\r' || next == '\n' || next == ';';
    }

    private void lineEnd(byte next) {
        if (next == '\n') {
            state = size == 0 ? State.OUTSIDE : State.CHUNK;
        }
    }

    private void beginSize() {
        state = State.SIZE;
        digits = false;
        size = 0;
    }
}
