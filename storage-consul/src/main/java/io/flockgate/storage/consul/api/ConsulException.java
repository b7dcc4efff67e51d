package io.flockgate.storage.consul.api;

/** Consul did not do what it was asked, or did not say so. The message is for operators and has no secrets. */
public final class ConsulException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The effect of a write that failed. */
    public enum Effect {
        /** Nothing has changed and nothing will. */
        NOT_DONE,
        /** It may have been carried out, or may be later. */
        UNKNOWN
    }

    /** The kind of a failure. */
    public enum FailureKind {
        /** No answer, or an answer that says that the cluster cannot work now: another try may succeed. */
        UNAVAILABLE,
        /** The token is missing, unknown or lacks a right. */
        DENIED,
        /** Too many connections or requests. */
        LIMITED,
        /** Consul found the request wrong, or its answer could not be understood. */
        INVALID,
        /** This client has been closed. */
        CLOSED
    }

    private final FailureKind kind;
    private final Effect effect;

    public ConsulException(FailureKind kind, Effect effect, String message) {
        super(message);
        this.kind = kind;
        this.effect = effect;
    }

    public ConsulException(FailureKind kind, Effect effect, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.effect = effect;
    }

    public FailureKind kind() {
        return kind;
    }

    public Effect effect() {
        return effect;
    }

    /** Whether Consul cannot be had for now: another try may succeed. */
    public boolean isOutage() {
        return switch (kind) {
            case UNAVAILABLE, LIMITED -> true;
            case DENIED, INVALID, CLOSED -> false;
        };
    }
}
