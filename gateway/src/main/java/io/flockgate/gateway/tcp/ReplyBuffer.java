package io.flockgate.gateway.tcp;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.gateway.session.ClientIdentity.ClientInfo;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Token;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A buffer that gathers replies as bytes of the line protocol, so that the replies to one read
 * leave in one write. Each method returns the word that its reply begins with. All connections of
 * an event loop share one buffer, which is empty between turns.
 */
final class ReplyBuffer {
    private static final int SMALLEST = 1024;
    private static final int LARGEST_KEPT = 64 * 1024;
    private static final byte[] DETACHED = " detached".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REASONS = " reasons".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LOSSES = " losses".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LOST = "lost ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ALIVE = "alive\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OK = "ok".getBytes(StandardCharsets.US_ASCII);

    /** Takes a copy of the first bytes of an array. */
    @FunctionalInterface
    interface Target {
        void add(byte[] bytes, int length);
    }

    private byte[] bytes = new byte[SMALLEST];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    /** The word as a whole reply. */
    @CanIgnoreReturnValue
    ReplyWord add(ReplyWord word) {
        append(word.line);
        return word;
    }

    /** {@code ok <token> <lease>}. */
    @CanIgnoreReturnValue
    ReplyWord granted(Grant grant, long leaseSeconds) {
        return grant(ReplyWord.OK, grant, leaseSeconds);
    }

    /** {@code acquired <token> <lease>}. */
    @CanIgnoreReturnValue
    ReplyWord acquired(Grant grant, long leaseSeconds) {
        return grant(ReplyWord.ACQUIRED, grant, leaseSeconds);
    }

    /** {@code ok <lease>}. */
    @CanIgnoreReturnValue
    ReplyWord renewed(long leaseSeconds) {
        append(ReplyWord.OK.beginning);
        number(leaseSeconds);
        newLine();
        return ReplyWord.OK;
    }

    /**
     * {@code ok <options>}, with the accepted options of a {@code hello}.
     *
     * @param more further options, each preceded by a space
     */
    @CanIgnoreReturnValue
    ReplyWord accepted(ClientInfo client, byte[] more) {
        append(OK);
        if (client.detached()) {
            append(DETACHED);
        }
        if (client.reasons()) {
            append(REASONS);
        }
        if (client.losses() != null) {
            append(LOSSES);
        }
        append(more);
        newLine();
        return ReplyWord.OK;
    }

    /** {@code lost <token>}, which is not a reply. */
    void lost(Grant grant) {
        append(LOST);
        token(grant);
        newLine();
    }

    /** {@code alive}, which is not a reply. */
    void alive() {
        append(ALIVE);
    }

    private ReplyWord grant(ReplyWord word, Grant grant, long leaseSeconds) {
        append(word.beginning);
        token(grant);
        ensure(1);
        bytes[count++] = ' ';
        number(leaseSeconds);
        newLine();
        return word;
    }

    private void token(Grant grant) {
        ensure(Token.HEX_DIGITS);
        Token.write(grant.fence(), grant.salt(), bytes, count);
        count += Token.HEX_DIGITS;
    }

    private void append(byte[] more) {
        ensure(more.length);
        System.arraycopy(more, 0, bytes, count, more.length);
        count += more.length;
    }

    /** A number that is not negative. */
    private void number(long value) {
        ensure(20);
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        long rest = value;
        for (int i = count + digits - 1; i >= count; i--) {
            bytes[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        count += digits;
    }

    private void newLine() {
        ensure(1);
        bytes[count++] = '\n';
    }

    private void ensure(int more) {
        if (count + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(count + more, 2 * bytes.length));
        }
    }

    /** Moves the whole content to a target. */
    void moveTo(Target target) {
        if (count == 0) {
            return;
        }
        target.add(bytes, count);
        count = 0;
        if (bytes.length > LARGEST_KEPT) {
            bytes = new byte[SMALLEST];
        }
    }
}
