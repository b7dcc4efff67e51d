package io.flockgate.bench.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Received bytes for the tests of answers. */
final class Bytes {
    static final String TOKEN = "0123456789abcdef0123456789abcdef";

    private Bytes() {}

    static ByteBuffer of(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static int check(Replies replies, String answer, Expected expected) {
        return replies.check(of(answer), 0, answer.length(), expected);
    }

    static int end(Replies replies, String received) {
        return replies.end(of(received), 0, received.length());
    }
}
