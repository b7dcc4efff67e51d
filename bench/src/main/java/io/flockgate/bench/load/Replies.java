package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads answers from received bytes, with absolute access only and without allocating anything for
 * an expected answer.
 */
sealed interface Replies permits HttpReplies, LineReplies {

    /** No token in this answer, or the answer is incomplete. */
    int NONE = -1;

    /** Buffer bytes to reserve for each answer that may arrive at once. */
    int room();

    /**
     * The end (exclusive) of the answer that starts at {@code from}, or {@link #NONE} while it is
     * incomplete.
     */
    int end(ByteBuffer in, int from, int to);

    /**
     * The position of the token in the whole answer, or {@link #NONE}.
     *
     * @throws BenchException if it is not the expected answer; the message quotes it
     */
    int check(ByteBuffer in, int from, int end, Expected expected);

    static boolean startsWith(ByteBuffer in, int from, int end, byte[] head) {
        if (end - from < head.length) {
            return false;
        }
        for (int i = 0; i < head.length; i++) {
            if (in.get(from + i) != head[i]) {
                return false;
            }
        }
        return true;
    }

    static boolean isToken(ByteBuffer in, int from, int end) {
        if (end - from < Step.TOKEN) {
            return false;
        }
        for (int i = from; i < from + Step.TOKEN; i++) {
            byte b = in.get(i);
            if ((b < '0' || b > '9') && (b < 'a' || b > 'f')) {
                return false;
            }
        }
        return true;
    }

    /**
     * The answer as text for a message: at most 200 bytes, line ends and other controls escaped.
     */
    static String quote(ByteBuffer in, int from, int end) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < Math.min(end, from + 200); i++) {
            int b = in.get(i) & 0xff;
            switch (b) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                default -> text.append(b < ' ' || b > '~' ? String.format("\\x%02x", b) : String.valueOf((char) b));
            }
        }
        return text.toString();
    }

    static BenchException surprise(Expected expected, ByteBuffer in, int from, int end) {
        return new BenchException(expected.request() + " was answered '" + quote(in, from, end) + "'");
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
