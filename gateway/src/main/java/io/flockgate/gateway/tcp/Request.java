package io.flockgate.gateway.tcp;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;

/** What a frame asks for. Lock and semaphore commands differ in their claims only. */
sealed interface Request {
    /** {@code l}, {@code sl}. */
    record Acquire(Claim claim, long timeoutSeconds) implements Request {}

    /** {@code e}, {@code se}. */
    record Enqueue(Claim claim) implements Request {}

    /** {@code w}, {@code sw}. */
    record Wait(Key key, long timeoutSeconds) implements Request {}

    /** {@code r}, {@code sr}. */
    record Release(Key key, Token token) implements Request {}

    /** {@code n}, {@code sn}. */
    record Renew(Key key, Token token, long leaseSeconds) implements Request {}

    /** Whether it may take as long as its client has said. */
    default boolean mayWait() {
        return (this instanceof Acquire acquire && acquire.timeoutSeconds() > 0)
                || (this instanceof Wait wait && wait.timeoutSeconds() > 0);
    }

    /** {@code ping} and {@code stats}, whose key and argument say nothing. */
    enum Plain implements Request {
        PING,
        STATS
    }

    /** A frame that asks for nothing that can be done; the connection goes on. Only logs tell these apart. */
    enum Malformed implements Request {
        INVALID_COMMAND(3),
        INVALID_NUMBER(4),
        INVALID_KEY(5),
        INVALID_TIMEOUT(6),
        EMPTY_TOKEN(7),
        WRONG_FIELD_COUNT(8),
        INVALID_LEASE(9),
        INVALID_LIMIT(13);

        private final int code;

        Malformed(int code) {
            this.code = code;
        }

        /** The number by which logs name the fault, as dflockd's do. */
        int code() {
            return code;
        }
    }
}
