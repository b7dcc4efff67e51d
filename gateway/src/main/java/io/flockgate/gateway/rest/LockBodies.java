package io.flockgate.gateway.rest;

import io.flockgate.gateway.rest.JsonBody.Field;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Token;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Objects;
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

    public LockBodies(long defaultLeaseSeconds) {
        this.defaultLeaseSeconds = defaultLeaseSeconds;
    }

    /** The key of these bytes. */
    public static Key key(byte[] bytes) {
        String fault = faultOf(bytes);
        if (!fault.isEmpty()) {
            throw new FaultException(fault);
        }
        return Objects.requireNonNull(Key.copyOf(bytes, 0, bytes.length), "checked before");
    }

    /** The fault of a key, as text; empty for a valid key. */
    static String faultOf(byte[] key) {
        if (key.length == 0) {
            return "empty key";
        }
        if (key.length > Key.MAX_BYTES) {
            return "key too long (max 256 bytes)";
        }
        return hasBlank(key) ? "key contains whitespace" : "";
    }

    private static boolean hasBlank(byte[] bytes) {
        for (byte b : bytes) {
            if (b == ' ' || b == '\t' || b == '\n' || b == '\r') {
                return true;
            }
        }
        return false;
    }

    public LockRequest read(LockOperation operation, Kind kind, Key key, byte[] body) {
        return switch (operation) {
            case ACQUIRE -> acquire(kind, key, body);
            case ENQUEUE -> enqueue(kind, key, body);
            case WAIT -> {
                JsonBody read = JsonBody.read(body, WAIT);
                yield new LockRequest.Wait(key, seconds(read, Field.TIMEOUT));
            }
            case RELEASE -> new LockRequest.Release(key, token(JsonBody.read(body, RELEASE)));
            case RENEW -> {
                JsonBody read = JsonBody.read(body, RENEW);
                yield new LockRequest.Renew(key, token(read), lease(read));
            }
        };
    }

    private LockRequest acquire(Kind kind, Key key, byte[] body) {
        JsonBody read = JsonBody.read(body, kind == Kind.LOCK ? ACQUIRE_LOCK : ACQUIRE_SEM);
        long timeout = seconds(read, Field.ACQUIRE_TIMEOUT);
        long limit = limit(read, kind);
        return new LockRequest.Acquire(new Claim(key, kind, limit, lease(read), timeout > 0), timeout);
    }

    private LockRequest enqueue(Kind kind, Key key, byte[] body) {
        boolean lock = kind == Kind.LOCK;
        JsonBody read = JsonBody.read(lock && body.length == 0 ? NOTHING : body, lock ? ENQUEUE_LOCK : ENQUEUE_SEM);
        long limit = limit(read, kind);
        return new LockRequest.Enqueue(new Claim(key, kind, limit, lease(read), true));
    }

    private static long limit(JsonBody read, Kind kind) {
        if (kind == Kind.LOCK) {
            return 1;
        }
        long limit = read.number(Field.LIMIT);
        if (limit < 1) {
            throw new FaultException("limit must be > 0");
        }
        return limit;
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
        if (hasBlank(text)) {
            throw new FaultException("token contains whitespace");
        }
        return Token.parse(text, 0, text.length);
    }
}
