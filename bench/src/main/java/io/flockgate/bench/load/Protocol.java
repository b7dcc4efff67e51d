package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * One protocol: its requests as texts, and its answers as received bytes, which are read with
 * absolute access only and without allocating anything for an expected answer.
 */
sealed interface Protocol permits HttpProtocol, LineProtocol {
    /** No token in this answer, or the answer is incomplete. */
    int NONE = -1;

    /** Length of a token: 32 lower-case hex digits. */
    int TOKEN = 32;

    /** Stands for a token in a request. */
    String NO_TOKEN = "0".repeat(TOKEN);

    /** Buffer bytes to reserve for each answer that may arrive at once. */
    int room();

    /** The request that shows that the server has accepted a connection. */
    String greeting();

    /**
     * The session in the answer to {@link #greeting}, which requests of this connection name; empty
     * if the connection is the session.
     */
    String session(String answer);

    /** The request that ends a session; empty if the end of the connection does. */
    String farewell(String session);

    String acquire(String key, String session, int leaseSeconds);

    /** The request that releases a key, with {@link #NO_TOKEN} in place of the token. */
    String release(String key, String session);

    /**
     * The end (exclusive) of the answer that starts at {@code from}, or {@link #NONE} while it is
     * incomplete.
     */
    int end(ByteBuffer in, int from, int to);

    /** The position of the token in an answer; {@link #NONE} if that grants nothing. */
    int grant(ByteBuffer in, int from, int end);

    boolean isReleased(ByteBuffer in, int from, int end);

    /**
     * The position of the token in the whole answer to a step, or {@link #NONE}.
     *
     * @throws BenchException if it is not the expected answer; the message quotes it
     */
    default int check(Step step, ByteBuffer in, int from, int end) {
        int token = step.acquires() ? grant(in, from, end) : NONE;
        if (step.acquires() ? token == NONE : !isReleased(in, from, end)) {
            throw new BenchException(
                    (step.acquires() ? "acquire" : "release") + " was answered '" + quote(in, from, end) + "'");
        }
        return token;
    }

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

    /** The position after a token that begins here; {@link #NONE} if there is none. */
    static int afterToken(ByteBuffer in, int from, int end) {
        int at = from;
        while (at < end && at < from + TOKEN && (isDigit(in.get(at)) || (in.get(at) >= 'a' && in.get(at) <= 'f'))) {
            at++;
        }
        return at == from + TOKEN ? at : NONE;
    }

    /** The position after the digits that begin here; {@link #NONE} if there are none. */
    static int afterDigits(ByteBuffer in, int from, int end) {
        int at = from;
        while (at < end && isDigit(in.get(at))) {
            at++;
        }
        return at == from ? NONE : at;
    }

    private static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    /** The answer as text for a message: at most 200 bytes, controls escaped. */
    static String quote(ByteBuffer in, int from, int end) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < Math.min(end, from + 200); i++) {
            int b = in.get(i) & 0xff;
            text.append(b < ' ' || b > '~' ? String.format("\\x%02x", b) : String.valueOf((char) b));
        }
        return text.toString();
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
