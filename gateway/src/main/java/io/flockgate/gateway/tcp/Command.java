package io.flockgate.gateway.tcp;

import static io.flockgate.gateway.tcp.ReplyWord.ACQUIRED;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_ALREADY_ENQUEUED;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_AUTH;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_DRAINING;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_LEASE_EXPIRED;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_LIMIT_MISMATCH;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_ENQUEUED;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_ENQUEUED_PER_CLIENT;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_HOLDERS;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_HOLDERS_PER_CLIENT;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_LOCKS;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_MAX_WAITERS;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_NOT_ENQUEUED;
import static io.flockgate.gateway.tcp.ReplyWord.ERROR_NOT_HELD;
import static io.flockgate.gateway.tcp.ReplyWord.OK;
import static io.flockgate.gateway.tcp.ReplyWord.QUEUED;
import static io.flockgate.gateway.tcp.ReplyWord.TIMEOUT;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The commands of the line protocol, each with the words that may answer it. */
@SuppressWarnings("ImmutableEnumChecker") // its arrays and sets are never changed
enum Command {
    L(OK, TIMEOUT, ERROR_AUTH, ERROR_MAX_LOCKS, ERROR_MAX_WAITERS, ERROR_LIMIT_MISMATCH, ERROR_LEASE_EXPIRED),
    R(OK, ERROR_NOT_HELD, ERROR_AUTH),
    N(OK, ERROR_NOT_HELD, ERROR_AUTH),
    E(
            ACQUIRED,
            QUEUED,
            ERROR_AUTH,
            ERROR_MAX_LOCKS,
            ERROR_MAX_WAITERS,
            ERROR_MAX_ENQUEUED,
            ERROR_MAX_ENQUEUED_PER_CLIENT,
            ERROR_LIMIT_MISMATCH,
            ERROR_ALREADY_ENQUEUED),
    W(OK, TIMEOUT, ERROR_AUTH, ERROR_NOT_ENQUEUED, ERROR_LEASE_EXPIRED),
    SL(L, ERROR_MAX_HOLDERS, ERROR_MAX_HOLDERS_PER_CLIENT),
    SR(R),
    SN(N),
    SE(E, ERROR_MAX_HOLDERS, ERROR_MAX_HOLDERS_PER_CLIENT),
    SW(W),
    PING(OK, ERROR_AUTH),
    STATS(OK, ERROR_AUTH),
    HELLO(OK, ERROR_AUTH),
    /** The first frame of a connection that must authenticate, whatever its text. */
    AUTH(OK, ERROR_AUTH),
    /** Not a command, or a frame that is never completed. */
    INVALID(ERROR_AUTH);

    private final String text = name().toLowerCase(Locale.ROOT);
    private final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    private final Set<ReplyWord> answers;

    Command(ReplyWord... answers) {
        this(EnumSet.of(ERROR, ERROR_DRAINING), answers);
    }

    /** A command for semaphores has the answers of its counterpart for locks, and others. */
    Command(Command ofLocks, ReplyWord... others) {
        this(EnumSet.copyOf(ofLocks.answers), others);
    }

    Command(EnumSet<ReplyWord> some, ReplyWord... others) {
        Collections.addAll(some, others);
        this.answers = Collections.unmodifiableSet(some);
    }

    String text() {
        return text;
    }

    Set<ReplyWord> answers() {
        return answers;
    }

    static Command of(LineDecoder frame) {
        int at = frame.from(0);
        int length = frame.to(0) - at;
        boolean semaphore = length == 2 && frame.bytes()[at] == 's';
        if (length != 1 && !semaphore) {
            return withoutKey(frame);
        }
        return switch (frame.bytes()[at + length - 1]) {
            case 'l' -> semaphore ? SL : L;
            case 'r' -> semaphore ? SR : R;
            case 'n' -> semaphore ? SN : N;
            case 'e' -> semaphore ? SE : E;
            case 'w' -> semaphore ? SW : W;
            default -> INVALID;
        };
    }

    private static Command withoutKey(LineDecoder frame) {
        if (frame.lineIs(0, PING.bytes)) {
            return PING;
        }
        if (frame.lineIs(0, STATS.bytes)) {
            return STATS;
        }
        if (frame.lineIs(0, HELLO.bytes)) {
            return HELLO;
        }
        return frame.lineIs(0, AUTH.bytes) ? AUTH : INVALID;
    }
}
