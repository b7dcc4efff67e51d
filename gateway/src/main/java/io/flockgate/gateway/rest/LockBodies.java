package io.flockgate.gateway.rest;

import io.flockgate.gateway.rest.JsonBody.Field;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/**
 * Reads requests for locks and semaphores from bodies. Checks fields in order
 * (protocol-docs/rest-api.md, "Order of checks"). Immutable.
 */
public final class LockBodies {
    private static final int MAX_TOKEN_BYTES = 256;
    private static final byte[] NOTHING = {'{', '}'};
    private static final Set<Field> ACQUIRE_LOCK = EnumSet.of(Field.ACQUIRE_TIMEOUT, Field.LEASE);
    private static final Set<Field> ACQUIRE_SEM = EnumSet.of(Field.ACQUIRE_TIMEOUT, Field.LIMIT, Field.LEASE);
    private static final Set<Field> ENQUEUE_LOCK = EnumSet.of(Field.LEASE);
    private static final Set<Field> ENQUEUE_SEM = EnumSet.of(Field.LIMIT, Field.LEASE);
    private static final Set<Field> WAIT = EnumSet.of(Field.TIMEOUT);
    private static final Set<Field> RELEASE = EnumSet.of(Field.TOKEN);
    private static final Set<Field> RENEW = EnumSet.of(Field.TOKEN, Field.LEASE);

    private final long defaultLeaseSeconds;

    /** The operations that the routes of locks and those of semaphores share. */
    public enum LockOperation {
        ACQUIRE,
        ENQUEUE,
        WAIT,
        RELEASE,
        RENEW
    }

    public LockBodies(long defaultLeaseSeconds) {
        this.defaultLeaseSeconds = defaultLeaseSeconds;
    }

    /** The key of these bytes. */
    public static Key key(byte[] bytes) {
        Key key = Key.copyOf(bytes, 0, bytes.length);
        if (key == null) {
            throw new FaultException(
                    bytes.length == 0
                            ? "empty key"
                            : bytes.length > Key.MAX_BYTES
                                    ? "key too long (max 256 bytes)"
                                    : "key contains whitespace");
        }
        return key;
    }

    public LockRequest read(LockOperation operation, Kind kind, Key key, byte[] body) {
        boolean lock = kind == Kind.LOCK;
        return switch (operation) {
            case ACQUIRE -> {
                JsonBody read = JsonBody.read(body, lock ? ACQUIRE_LOCK : ACQUIRE_SEM);
                long timeout = seconds(read, Field.ACQUIRE_TIMEOUT);
                yield new LockRequest.Acquire(claim(key, kind, read, timeout > 0), timeout);
            }
            case ENQUEUE -> {
                byte[] given = lock && body.length == 0 ? NOTHING : body;
                yield new LockRequest.Enqueue(
                        claim(key, kind, JsonBody.read(given, lock ? ENQUEUE_LOCK : ENQUEUE_SEM), true));
            }
            case WAIT -> new LockRequest.Wait(key, seconds(JsonBody.read(body, WAIT), Field.TIMEOUT));
            case RELEASE -> new LockRequest.Release(key, token(JsonBody.read(body, RELEASE)));
            case RENEW -> {
                JsonBody read = JsonBody.read(body, RENEW);
                yield new LockRequest.Renew(key, token(read), lease(read));
            }
        };
    }

    private Claim claim(Key key, Kind kind, JsonBody read, boolean mayQueue) {
        long limit = kind == Kind.LOCK ? 1 : read.number(Field.LIMIT);
        if (limit < 1) {
            throw new FaultException("limit must be > 0");
        }
        return new Claim(key, kind, limit, lease(read), mayQueue);
    }

    private long lease(JsonBody read) {
        long seconds = seconds(read, Field.LEASE);
        return seconds == 0 ? defaultLeaseSeconds : seconds;
    }

    private static long seconds(JsonBody read, Field field) {
        long seconds = read.number(field);
        if (seconds < 0) {
            throw new FaultException(field.text() + " must be >= 0");
        }
        if (seconds > Claim.MAX_SECONDS) {
            throw new FaultException(field.text() + " too large");
        }
        return seconds;
    }

    /**
     * Text that does not have the form of Flockgate's tokens is valid, but no grant has such a
     * token.
     */
    private static Token token(JsonBody read) {
        byte[] text = read.token().getBytes(StandardCharsets.UTF_8);
        if (text.length == 0) {
            throw new FaultException("token required");
        }
        if (text.length > MAX_TOKEN_BYTES) {
            throw new FaultException("token too long (max 256 bytes)");
        }
        for (byte b : text) {
            if (b == ' ' || b == '\t' || b == '\n' || b == '\r') {
                throw new FaultException("token contains whitespace");
            }
        }
        return Token.parse(text, 0, text.length);
    }
}
