package io.flockgate.client.consul;

import io.flockgate.client.LeaseAuthException;
import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/** A request to Consul that failed. Never leaves this package. */
final class ConsulException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kinds of failures. */
    enum Kind {
        /** Consul cannot be reached, or cannot answer now. */
        UNAVAILABLE,
        /** The token is wrong, or lacks a right. */
        DENIED,
        /** Consul refuses the request as it is. */
        INVALID
    }

    private final Kind kind;
    private final boolean maybeDone;
    private final boolean ofGrant;

    /** @param maybeDone whether Consul may have carried the request out, or may do so later */
    ConsulException(Kind kind, boolean maybeDone, String message, @Nullable Throwable cause) {
        this(kind, maybeDone, false, message, cause);
    }

    private ConsulException(Kind kind, boolean maybeDone, boolean ofGrant, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.maybeDone = maybeDone;
        this.ofGrant = ofGrant;
    }

    Kind kind() {
        return kind;
    }

    boolean maybeDone() {
        return maybeDone;
    }

    /** Whether a grant may have been made. */
    boolean isOfGrant() {
        return ofGrant;
    }

    /** This failure, of the write of a grant. */
    ConsulException ofGrant() {
        return new ConsulException(kind, maybeDone, true, String.valueOf(getMessage()), this);
    }

    /** This failure, of a request that follows others without a certain result. */
    ConsulException afterUnknown() {
        return maybeDone ? this : new ConsulException(Kind.UNAVAILABLE, true, String.valueOf(getMessage()), this);
    }

    /**
     * The failure for users.
     *
     * @param mayHold whether the server may hold a slot for the caller because of this failure
     */
    RuntimeException told(boolean mayHold) {
        String message = String.valueOf(getMessage());
        if (maybeDone) {
            return new LeaseUnavailableException(message, mayHold, getCause());
        }
        return switch (kind) {
            case UNAVAILABLE -> new LeaseUnavailableException(message, mayHold, getCause());
            case DENIED -> new LeaseAuthException(message);
            case INVALID -> new LeaseConfigException(message);
        };
    }
}
