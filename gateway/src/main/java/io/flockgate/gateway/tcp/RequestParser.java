package io.flockgate.gateway.tcp;

import io.flockgate.gateway.tcp.Request.Malformed;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;

/**
 * Reads requests out of frames (line protocol, "Commands"). Keys and tokens stay bytes. Reused from frame to frame; not
 * thread safe.
 */
final class RequestParser {
    private static final byte[] PING = {'p', 'i', 'n', 'g'};
    private static final byte[] STATS = {'s', 't', 'a', 't', 's'};

    private final long defaultLeaseSeconds;
    private final Fields fields = new Fields();

    RequestParser(long defaultLeaseSeconds) {
        this.defaultLeaseSeconds = defaultLeaseSeconds;
    }

    Request parse(LineDecoder frame) {
        byte[] bytes = frame.bytes();
        int at = frame.from(0);
        int length = frame.to(0) - at;
        boolean semaphore = length == 2 && bytes[at] == 's';
        if (length != 1 && !semaphore) {
            return withoutKey(frame);
        }
        Key key = Key.copyOf(bytes, frame.from(1), frame.to(1));
        if (key == null) {
            return Malformed.INVALID_KEY;
        }
        Kind kind = semaphore ? Kind.SEMAPHORE : Kind.LOCK;
        return switch (bytes[at + length - 1]) {
            case 'l' -> acquire(frame, key, kind);
            case 'r' -> release(frame, key);
            case 'n' -> renew(frame, key);
            case 'e' -> enqueue(frame, key, kind);
            case 'w' -> await(frame, key);
            default -> Malformed.INVALID_COMMAND;
        };
    }

    private static Request withoutKey(LineDecoder frame) {
        if (frame.lineIs(0, PING)) {
            return Request.Plain.PING;
        }
        return frame.lineIs(0, STATS) ? Request.Plain.STATS : Malformed.INVALID_COMMAND;
    }

    private Request acquire(LineDecoder frame, Key key, Kind kind) {
        int leading = kind == Kind.LOCK ? 1 : 2;
        if (!split(frame, leading)) {
            return Malformed.WRONG_FIELD_COUNT;
        }
        long timeout = fields.number(0);
        if (isNoSeconds(timeout, 0)) {
            return fault(timeout, Malformed.INVALID_TIMEOUT);
        }
        long limit = kind == Kind.LOCK ? 1 : fields.number(1);
        if (limit < 1) {
            return fault(limit, Malformed.INVALID_LIMIT);
        }
        long lease = lease(leading);
        return isNoSeconds(lease, 1)
                ? fault(lease, Malformed.INVALID_LEASE)
                : new Request.Acquire(new Claim(key, kind, limit, lease, timeout > 0), timeout);
    }

    private Request enqueue(LineDecoder frame, Key key, Kind kind) {
        int leading = kind == Kind.LOCK ? 0 : 1;
        if (!split(frame, leading)) {
            return Malformed.WRONG_FIELD_COUNT;
        }
        long limit = kind == Kind.LOCK ? 1 : fields.number(0);
        if (limit < 1) {
            return fault(limit, Malformed.INVALID_LIMIT);
        }
        long lease = lease(leading);
        return isNoSeconds(lease, 1)
                ? fault(lease, Malformed.INVALID_LEASE)
                : new Request.Enqueue(new Claim(key, kind, limit, lease, true));
    }

    private Request renew(LineDecoder frame, Key key) {
        if (!split(frame, 1)) {
            return fields.count() == 0 ? Malformed.EMPTY_TOKEN : Malformed.WRONG_FIELD_COUNT;
        }
        long lease = lease(1);
        return isNoSeconds(lease, 1)
                ? fault(lease, Malformed.INVALID_LEASE)
                : new Request.Renew(key, Token.parse(fields.bytes(), fields.from(0), fields.to(0)), lease);
    }

    private Request release(LineDecoder frame, Key key) {
        fields.trim(frame.bytes(), frame.from(2), frame.to(2));
        return fields.count() == 0
                ? Malformed.EMPTY_TOKEN
                : new Request.Release(key, Token.parse(fields.bytes(), fields.from(0), fields.to(0)));
    }

    private Request await(LineDecoder frame, Key key) {
        fields.trim(frame.bytes(), frame.from(2), frame.to(2));
        if (fields.count() == 0) {
            return Malformed.INVALID_NUMBER;
        }
        long timeout = fields.number(0);
        return isNoSeconds(timeout, 0) ? fault(timeout, Malformed.INVALID_TIMEOUT) : new Request.Wait(key, timeout);
    }

    /** Splits the argument; false unless it has these fields, with or without a lease behind them. */
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

    private static Malformed fault(long value, Malformed otherwise) {
        return value == Fields.NOT_A_NUMBER ? Malformed.INVALID_NUMBER : otherwise;
    }
}
