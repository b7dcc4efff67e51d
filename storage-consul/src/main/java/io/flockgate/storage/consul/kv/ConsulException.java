package io.flockgate.storage.consul.kv;

import io.flockgate.storage.StorageException.Effect;
import org.jspecify.annotations.Nullable;

/** A failed request to Consul. The message is for operators, and contains no secrets. */
public class ConsulException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final String UNKNOWN_TOKEN = "ACL not found";

    /** The kind of a failure. */
    public enum FailureKind {
        /** There is no answer, or the cluster cannot work at present. A retry may succeed. */
        UNAVAILABLE,
        /** The token is missing or unknown, or lacks a right. */
        DENIED,
        /** Too many connections or requests. */
        LIMITED,
        /** Consul found the request invalid, or its answer cannot be read. */
        INVALID,
        /** This client has been closed. */
        CLOSED
    }

    private final FailureKind kind;
    private final Effect effect;

    public ConsulException(FailureKind kind, Effect effect, String message) {
        this(kind, effect, message, null);
    }

    public ConsulException(FailureKind kind, Effect effect, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.effect = effect;
    }

    /**
     * This failure, with the right that the token lacks. Other failures are returned unchanged.
     *
     * @param right in the words of Consul's policies
     */
    public final ConsulException withRight(String right) {
        if (kind != FailureKind.DENIED) {
            return this;
        }
        String message = String.valueOf(getMessage());
        String explained = message.contains(UNKNOWN_TOKEN)
                ? UNKNOWN_TOKEN + ": Consul does not know the token of --consul-token or --consul-token-file ("
                        + message + ")"
                : "the token needs " + right + ": " + message;
        return new ConsulException(kind, effect, explained, this);
    }

    /** This failure, as that of a request that follows others with an unknown result. */
    public final ConsulException afterUnknown() {
        return effect == Effect.UNKNOWN
                ? this
                : new ConsulException(kind, Effect.UNKNOWN, String.valueOf(getMessage()), this);
    }

    public final FailureKind kind() {
        return kind;
    }

    public final Effect effect() {
        return effect;
    }

    /** Whether Consul is unavailable at present, so that a retry may succeed. */
    public final boolean isOutage() {
        return switch (kind) {
            case UNAVAILABLE, LIMITED -> true;
            case DENIED, INVALID, CLOSED -> false;
        };
    }
}
