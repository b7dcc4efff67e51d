package io.flockgate.gateway.tcp;

import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import org.jspecify.annotations.Nullable;

/**
 * Parses the requests of lock and semaphore commands from frames (line protocol, "Commands"). Keys
 * and tokens remain bytes. Reused from frame to frame; not thread safe.
 */
final class RequestParser {
    /** The faults of a frame. The connection continues. Only logs distinguish them. */
    enum FrameFault {
        INVALID_COMMAND(3),
        INVALID_NUMBER(4),
        INVALID_KEY(5),
        INVALID_TIMEOUT(6),
        EMPTY_TOKEN(7),
        WRONG_FIELD_COUNT(8),
        INVALID_LEASE(9),
        INVALID_LIMIT(13);

        private final int code;

        FrameFault(int code) {
            this.code = code;
        }

        /** The number that identifies the fault in logs, as in dflockd's. */
        int code() {
            return code;
        }
    }

    private final long defaultLeaseSeconds;
    private final Fields fields = new Fields();
    private FrameFault fault = FrameFault.INVALID_COMMAND;

    RequestParser(long defaultLeaseSeconds) {
        this.defaultLeaseSeconds = defaultLeaseSeconds;
    }

    /**
     * The request of a frame with this command; null for a frame with a fault, which {@link #fault}
     * then returns.
     */
    @Nullable
    LockRequest parse(Command command, LineDecoder frame) {
        Key key = Key.copyOf(frame.bytes(), frame.from(1), frame.to(1));
        if (key == null) {
            return refuse(FrameFault.INVALID_KEY);
        }
        return switch (command) {
            case L -> acquire(frame, key, Kind.LOCK);
            case SL -> acquire(frame, key, Kind.SEMAPHORE);
            case R, SR -> release(frame, key);
            case N, SN -> renew(frame, key);
            case E -> enqueue(frame, key, Kind.LOCK);
            case SE -> enqueue(frame, key, Kind.SEMAPHORE);
            case W, SW -> await(frame, key);
            case PING, STATS, HELLO, AUTH, INVALID -> refuse(FrameFault.INVALID_COMMAND);
        };
    }

    /** The fault of the last frame that was not a valid request. */
    FrameFault fault() {
        return fault;
    }

    private @Nullable LockRequest acquire(LineDecoder frame, Key key, Kind kind) {
        int leading = kind == Kind.LOCK ? 1 : 2;
        if (!split(frame, leading)) {
            return refuse(FrameFault.WRONG_FIELD_COUNT);
        }
        long timeout = fields.number(0);
        if (isNoSeconds(timeout, 0)) {
            return refuseNumber(timeout, FrameFault.INVALID_TIMEOUT);
        }
        long limit = kind == Kind.LOCK ? 1 : fields.number(1);
        if (limit < 1) {
            return refuseNumber(limit, FrameFault.INVALID_LIMIT);
        }
        long lease = lease(leading);
        return isNoSeconds(lease, 1)
                ? refuseNumber(lease, FrameFault.INVALID_LEASE)
                : new LockRequest.Acquire(new Claim(key, kind, limit, lease, timeout > 0), timeout);
    }

    private @Nullable LockRequest enqueue(LineDecoder frame, Key key, Kind kind) {
        int leading = kind == Kind.LOCK ? 0 : 1;
        if (!split(frame, leading)) {
            return refuse(FrameFault.WRONG_FIELD_COUNT);
        }
        long limit = kind == Kind.LOCK ? 1 : fields.number(0);
        if (limit < 1) {
            return refuseNumber(limit, FrameFault.INVALID_LIMIT);
        }
        long lease = lease(leading);
        return isNoSeconds(lease, 1)
                ? refuseNumber(lease, FrameFault.INVALID_LEASE)
                : new LockRequest.Enqueue(new Claim(key, kind, limit, lease, true));
    }

    private @Nullable LockRequest renew(LineDecoder frame, Key key) {
        if (!split(frame, 1)) {
            return refuse(fields.count() == 0 ? FrameFault.EMPTY_TOKEN : FrameFault.WRONG_FIELD_COUNT);
        }
        long lease = lease(1);
        return isNoSeconds(lease, 1)
                ? refuseNumber(lease, FrameFault.INVALID_LEASE)
                : new LockRequest.Renew(key, Token.parse(fields.bytes(), fields.from(0), fields.to(0)), lease);
    }

    private @Nullable LockRequest release(LineDecoder frame, Key key) {
        fields.trim(frame.bytes(), frame.from(2), frame.to(2));
        return fields.count() == 0
                ? refuse(FrameFault.EMPTY_TOKEN)
                : new LockRequest.Release(key, Token.parse(fields.bytes(), fields.from(0), fields.to(0)));
    }

    private @Nullable LockRequest await(LineDecoder frame, Key key) {
        fields.trim(frame.bytes(), frame.from(2), frame.to(2));
        if (fields.count() == 0) {
            return refuse(FrameFault.INVALID_NUMBER);
        }
        long timeout = fields.number(0);
        return isNoSeconds(timeout, 0)
                ? refuseNumber(timeout, FrameFault.INVALID_TIMEOUT)
                : new LockRequest.Wait(key, timeout);
    }

    /**
     * Splits the argument. Returns false unless it has this number of fields, with or without a
     * lease after them.
     */
    private boolean split(LineDecoder frame, int leading) {
        fields.split(frame.bytes(), frame.from(2), frame.to(2));
        return fields.count() == leading || fields.count() == leading + 1;
    }

    private long lease(int field) {
        return fields.count() > field ? fields.number(field) : defaultLeaseSeconds;
    }

    private static boolean isNoSeconds(long value, long least) {
        return value < least || value > Claim.MAX_SECONDS;
    }

    private @Nullable LockRequest refuseNumber(long value, FrameFault outOfRange) {
        return refuse(value == Fields.NOT_A_NUMBER ? FrameFault.INVALID_NUMBER : outOfRange);
    }

    private @Nullable LockRequest refuse(FrameFault found) {
        fault = found;
        return null;
    }
}
