package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.Outcome.Plain;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Token;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Replies on their way out, gathered so that the replies to one read leave in one write. Writes the bytes of the line
 * protocol; knows no storage. One for all connections of an event loop: it is empty between turns.
 */
final class ReplyBuffer {
    private static final int SMALLEST = 1024;
    private static final int LARGEST_KEPT = 64 * 1024;

    static final byte[] OK = line("ok");
    static final byte[] QUEUED = line("queued");
    static final byte[] TIMEOUT = line("timeout");
    static final byte[] ERROR = line("error");
    static final byte[] ERROR_AUTH = line("error_auth");
    static final byte[] ERROR_MAX_LOCKS = line("error_max_locks");
    static final byte[] ERROR_MAX_WAITERS = line("error_max_waiters");
    static final byte[] ERROR_LIMIT_MISMATCH = line("error_limit_mismatch");
    static final byte[] ERROR_NOT_ENQUEUED = line("error_not_enqueued");
    static final byte[] ERROR_ALREADY_ENQUEUED = line("error_already_enqueued");
    static final byte[] ERROR_LEASE_EXPIRED = line("error_lease_expired");
    static final byte[] ERROR_DRAINING = line("error_draining");

    private static final byte[] OK_AND = "ok ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ACQUIRED_AND = "acquired ".getBytes(StandardCharsets.US_ASCII);

    /** Never added to. */
    private static final Buffer EMPTY = Buffer.buffer();

    private byte[] bytes = new byte[SMALLEST];
    private int count;

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(byte[] line) {
        ensure(line.length);
        System.arraycopy(line, 0, bytes, count, line.length);
        count += line.length;
    }

    /** The one word for an outcome that has nothing else to tell. */
    void add(Plain outcome) {
        add(lineFor(outcome));
    }

    private static byte[] lineFor(Plain outcome) {
        return switch (outcome) {
            case QUEUED -> QUEUED;
            case TIMEOUT -> TIMEOUT;
            case RELEASED -> OK;
            case NOT_HELD, CANCELLED -> ERROR;
            case LEASE_EXPIRED -> ERROR_LEASE_EXPIRED;
            case NOT_ENQUEUED -> ERROR_NOT_ENQUEUED;
            case ALREADY_ENQUEUED -> ERROR_ALREADY_ENQUEUED;
            case MAX_LOCKS -> ERROR_MAX_LOCKS;
            case MAX_WAITERS -> ERROR_MAX_WAITERS;
            case LIMIT_MISMATCH -> ERROR_LIMIT_MISMATCH;
        };
    }

    /** {@code ok <token> <lease>}. */
    void granted(Grant grant, long leaseSeconds) {
        grant(OK_AND, grant, leaseSeconds);
    }

    /** {@code acquired <token> <lease>}. */
    void acquired(Grant grant, long leaseSeconds) {
        grant(ACQUIRED_AND, grant, leaseSeconds);
    }

    /** {@code ok <lease>}. */
    void renewed(long leaseSeconds) {
        add(OK_AND);
        number(leaseSeconds);
        newLine();
    }

    private void grant(byte[] word, Grant grant, long leaseSeconds) {
        add(word);
        ensure(Token.HEX_DIGITS + 1);
        Token.write(grant.fence(), grant.salt(), bytes, count);
        count += Token.HEX_DIGITS;
        bytes[count++] = ' ';
        number(leaseSeconds);
        newLine();
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

    /** Empties the buffer into one of Vert.x. */
    Buffer take() {
        if (count == 0) {
            return EMPTY;
        }
        Buffer taken = Buffer.buffer(count).appendBytes(bytes, 0, count);
        count = 0;
        if (bytes.length > LARGEST_KEPT) {
            bytes = new byte[SMALLEST];
        }
        return taken;
    }
}
