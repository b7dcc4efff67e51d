package io.flockgate.bench.load;

import java.nio.ByteBuffer;

/** Reads answers of RESP2: simple strings, errors, integers, bulk strings and arrays of them. */
final class RespReplies implements Replies {
    private static final byte[] OK = Replies.ascii("+OK\r\n");
    private static final byte[] ONE = Replies.ascii(":1\r\n");
    private static final byte[] PAIR = Replies.ascii("*2\r\n");
    private static final byte[] TOKEN_HEAD = Replies.ascii("$32\r\n");
    private static final int MAX_DEPTH = 8;

    /** True when waiters queue: a grant pops an element off a list, and a release pushes it back. */
    private final boolean shared;

    RespReplies(boolean shared) {
        this.shared = shared;
    }

    @Override
    public int room() {
        return 64;
    }

    @Override
    public int end(ByteBuffer in, int from, int to) {
        return end(in, from, to, 0);
    }

    private static int end(ByteBuffer in, int from, int to, int depth) {
        int line = lineEnd(in, from, to);
        if (line == NONE) {
            return NONE;
        }
        return switch (in.get(from)) {
            case '+', '-', ':' -> line;
            case '$' -> {
                int length = number(in, from + 1, line - 2);
                int end = length < 0 ? line : line + length + 2;
                yield end <= to ? end : NONE;
            }
            case '*' -> elements(in, line, to, number(in, from + 1, line - 2), depth + 1);
            default -> throw new LoadException("not RESP: '" + Replies.quote(in, from, line) + "'");
        };
    }

    private static int elements(ByteBuffer in, int from, int to, int count, int depth) {
        if (depth > MAX_DEPTH) {
            throw new LoadException("not RESP: arrays nested too deep");
        }
        int at = from;
        for (int i = 0; i < count && at != NONE; i++) {
            at = end(in, at, to, depth);
        }
        return at;
    }

    private static int lineEnd(ByteBuffer in, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (in.get(i) == '\n' && in.get(i - 1) == '\r') {
                return i + 1;
            }
        }
        return NONE;
    }

    /** A length: digits, or -1 for the null value. */
    private static int number(ByteBuffer in, int from, int end) {
        boolean negative = from < end && in.get(from) == '-';
        int digits = negative ? from + 1 : from;
        int value = 0;
        for (int i = digits; i < end; i++) {
            int digit = in.get(i) - '0';
            if (digit < 0 || digit > 9 || value > 100_000_000) {
                throw new LoadException("not a RESP length: '" + Replies.quote(in, from, end) + "'");
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    @Override
    public int check(ByteBuffer in, int from, int end, Expected expected) {
        int token = shared && expected == Expected.GRANT ? popped(in, from, end) : NONE;
        boolean right = switch (expected) {
            case GRANT -> shared ? token != NONE : Replies.startsWith(in, from, end, OK);
            case RELEASED -> shared ? in.get(from) == ':' : Replies.startsWith(in, from, end, ONE);
            case ENQUEUED -> false;
        };
        if (!right) {
            throw Replies.surprise(expected, in, from, end);
        }
        return token;
    }

    /** The token at the end of the pair (list name, element). */
    private static int popped(ByteBuffer in, int from, int end) {
        int at = end - 2 - Step.TOKEN;
        boolean right = Replies.startsWith(in, from, end, PAIR)
                && at - TOKEN_HEAD.length > from
                && Replies.startsWith(in, at - TOKEN_HEAD.length, end, TOKEN_HEAD)
                && Replies.isToken(in, at, end);
        return right ? at : NONE;
    }
}
