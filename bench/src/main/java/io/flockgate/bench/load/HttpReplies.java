package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;

/**
 * Reads answers of the REST API: HTTP/1.1 with a Content-Length or without a body. Ignores all
 * other headers.
 */
final class HttpReplies implements Replies {
    private static final byte[] OK = Replies.ascii("HTTP/1.1 200 ");
    private static final byte[] NO_CONTENT = Replies.ascii("HTTP/1.1 204 ");
    private static final byte[] LENGTH = Replies.ascii("content-length:");
    private static final byte[] GRANTED = Replies.ascii("{\"status\":\"ok\",\"token\":\"");
    private static final byte[] LEASE = Replies.ascii("\",\"lease_ttl_s\":");
    private static final int MAX_LENGTH = 100_000_000;

    @Override
    public int room() {
        return 512;
    }

    @Override
    public int end(ByteBuffer in, int from, int to) {
        int length = NONE;
        int line = from;
        int next = lineEnd(in, line, to);
        while (next != NONE) {
            if (isEmpty(in, line, next)) {
                int end = next + bodyLength(in, from, next, length);
                return end <= to ? end : NONE;
            } else if (isLength(in, line, next)) {
                length = number(in, line + LENGTH.length, next);
            }
            line = next;
            next = lineEnd(in, line, to);
        }
        return NONE;
    }

    private static int lineEnd(ByteBuffer in, int from, int to) {
        for (int i = from; i < to; i++) {
            if (in.get(i) == '\n') {
                return i + 1;
            }
        }
        return NONE;
    }

    private static boolean isEmpty(ByteBuffer in, int line, int next) {
        return next - line == 1 || (next - line == 2 && in.get(line) == '\r');
    }

    private static boolean isLength(ByteBuffer in, int line, int next) {
        if (next - line < LENGTH.length) {
            return false;
        }
        for (int i = 0; i < LENGTH.length; i++) {
            byte b = in.get(line + i);
            if (LENGTH[i] != (b >= 'A' && b <= 'Z' ? b | 0x20 : b)) {
                return false;
            }
        }
        return true;
    }

    /** Digits after white space. */
    private static int number(ByteBuffer in, int from, int end) {
        int value = NONE;
        int at = from;
        while (at < end && in.get(at) == ' ') {
            at++;
        }
        for (; at < end && in.get(at) >= '0' && in.get(at) <= '9' && value < MAX_LENGTH; at++) {
            value = Math.max(value, 0) * 10 + in.get(at) - '0';
        }
        return value;
    }

    private static int bodyLength(ByteBuffer in, int from, int body, int length) {
        boolean bodiless = Replies.startsWith(in, from, body, NO_CONTENT);
        if (!bodiless && length == NONE) {
            throw new BenchException("an answer without Content-Length: '" + Replies.quote(in, from, body) + "'");
        }
        return bodiless ? 0 : length;
    }

    @Override
    public int check(ByteBuffer in, int from, int end, Expected expected) {
        int token = NONE;
        boolean right;
        if (expected == Expected.RELEASED) {
            right = Replies.startsWith(in, from, end, NO_CONTENT);
        } else {
            token = token(in, lastObject(in, from, end), end);
            right = Replies.startsWith(in, from, end, OK) && token != NONE;
        }
        if (!right) {
            throw Replies.surprise(expected, in, from, end);
        }
        return token;
    }

    /**
     * The beginning of the last JSON object, searched from the end because the head is longer.
     * Outcomes contain no nested objects.
     */
    private static int lastObject(ByteBuffer in, int from, int end) {
        int at = end - 1;
        while (at > from && in.get(at) != '{') {
            at--;
        }
        return at;
    }

    /** The head, 32 hex digits, the lease in whole seconds, the end of the object. */
    private static int token(ByteBuffer in, int body, int end) {
        int token = body + GRANTED.length;
        int lease = token + Step.TOKEN + LEASE.length;
        boolean right = Replies.startsWith(in, body, end, GRANTED)
                && Replies.isToken(in, token, end)
                && Replies.startsWith(in, token + Step.TOKEN, end, LEASE);
        if (!right) {
            return NONE;
        }
        int at = lease;
        while (at < end && in.get(at) >= '0' && in.get(at) <= '9') {
            at++;
        }
        return at > lease && at < end && in.get(at) == '}' ? token : NONE;
    }
}
