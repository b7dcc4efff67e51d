package io.flockgate.storage;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a storage: the only exception of the futures of {@link LockStorage} and of a
 * roster storage.
 */
public final class StorageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The certain effect of a call that failed. */
    public enum Effect {
        /** The call has changed nothing and will change nothing. */
        NOT_DONE,
        /**
         * The call may have had its effect, now or later. The storage settles it without further
         * calls: it releases a slot that was granted after all, and repeats a release until it is
         * done.
         */
        UNKNOWN
    }

    /** The kind of failure. */
    public enum FailureKind {
        /** No fence could be issued that is certain to be greater than all earlier ones. */
        FENCE,
        /** The storage's back end did not answer, or not in time. */
        UNAVAILABLE,
        /** The storage has been closed. */
        CLOSED
    }

    private final FailureKind kind;
    private final Effect effect;

    public StorageException(FailureKind kind, Effect effect, String message) {
        this(kind, effect, message, null);
    }

    public StorageException(FailureKind kind, Effect effect, String message, @Nullable Throwable cause) {
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
