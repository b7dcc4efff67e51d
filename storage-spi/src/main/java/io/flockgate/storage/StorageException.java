package io.flockgate.storage;

/** A storage could not do what it was asked: the one way in which a future of {@link LockStorage} or of a roster storage fails. */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is certain about a call that failed. */
    public enum Effect {
        /** The call has changed nothing and will change nothing. */
        NOT_DONE,
        /**
         * The call may have been carried out, now or later. The storage settles it by itself: it gives back a slot that
         * turns out to have been granted, and goes on with a release until it is done.
         */
        UNKNOWN
    }

    /** The kind of failure. */
    public enum FailureKind {
        /** No fence could be issued that is sure to be greater than all before it. */
        FENCE,
        /** The storage's back end does not answer, or not in time. */
        UNAVAILABLE,
        /** The storage has been closed. */
        CLOSED
    }

    private final FailureKind kind;
    private final Effect effect;

    public StorageException(FailureKind kind, Effect effect, String message) {
        super(message);
        this.kind = kind;
        this.effect = effect;
    }

    public StorageException(FailureKind kind, Effect effect, String message, Throwable cause) {
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
}
