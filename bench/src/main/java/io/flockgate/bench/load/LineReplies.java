package io.flockgate.bench.load;

import java.nio.ByteBuffer;

/** Reads answers of the line protocol: one line each. */
final class LineReplies implements Replies {
    private static final byte[] OK = Replies.ascii("ok\n");
    private static final byte[] GRANTED = Replies.ascii("ok ");
    private static final byte[] ACQUIRED = Replies.ascii("acquired ");
    private static final byte[] QUEUED = Replies.ascii("queued\n");

    @Override
    public int room() {
        return 64;
    }

    @Override
    public int end(ByteBuffer in, int from, int to) {
        for (int i = from; i < to; i++) {
            if (in.get(i) == '\n') {
                return i + 1;
            }
        }
        return NONE;
    }

    @Override
    public int check(ByteBuffer in, int from, int end, Expected expected) {
        return switch (expected) {
            case GRANT -> token(in, from, end, GRANTED, expected);
            case ENQUEUED -> is(in, from, end, QUEUED) ? NONE : token(in, from, end, ACQUIRED, expected);
            case RELEASED -> {
                if (!is(in, from, end, OK)) {
                    throw Replies.surprise(expected, in, from, end);
                }
                yield NONE;
            }
        };
    }

    private static boolean is(ByteBuffer in, int from, int end, byte[] line) {
        return end - from == line.length && Replies.startsWith(in, from, end, line);
    }

    /** The head, 32 hex digits, a space, the lease in whole seconds. */
    private static int token(ByteBuffer in, int from, int end, byte[] head, Expected expected) {
        int at = from + head.length;
        int lease = at + Step.TOKEN + 1;
        boolean right = Replies.startsWith(in, from, end, head)
                && Replies.isToken(in, at, end)
                && lease < end - 1
                && in.get(lease - 1) == ' ';
        for (int i = lease; right && i < end - 1; i++) {
            right = in.get(i) >= '0' && in.get(i) <= '9';
        }
        if (!right) {
            throw Replies.surprise(expected, in, from, end);
        }
        return at;
    }
}
