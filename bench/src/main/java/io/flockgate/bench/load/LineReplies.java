package io.flockgate.bench.load;

import java.nio.ByteBuffer;

/** Reads answers of the line protocol: one line each. */
final class LineReplies implements Replies {
    private static final byte[] OK = Replies.ascii("ok\n");
    private static final byte[] GRANTED = Replies.ascii("ok ");

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
            case GRANT -> token(in, from, end);
            case RELEASED -> {
                if (end - from != OK.length || !Replies.startsWith(in, from, end, OK)) {
                    throw Replies.surprise(expected, in, from, end);
                }
                yield NONE;
            }
        };
    }

    /** "ok", 32 hex digits, the lease in whole seconds, with a space between each. */
    private static int token(ByteBuffer in, int from, int end) {
        int at = from + GRANTED.length;
        int lease = at + Step.TOKEN + 1;
        boolean right = Replies.startsWith(in, from, end, GRANTED)
                && Replies.isToken(in, at, end)
                && lease < end - 1
                && in.get(lease - 1) == ' ';
        for (int i = lease; right && i < end - 1; i++) {
            right = in.get(i) >= '0' && in.get(i) <= '9';
        }
        if (!right) {
            throw Replies.surprise(Expected.GRANT, in, from, end);
        }
        return at;
    }
}
