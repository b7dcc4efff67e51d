package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/** The server did not answer, or its answer was not usable: the result is unknown. */
public class LeaseUnavailableException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHold;

    /** A failure with this message; see {@link #mayHold()}. */
    public LeaseUnavailableException(String message, boolean mayHold, @Nullable Throwable cause) {
        super(message, cause);
        this.mayHold = mayHold;
    }

    /**
     * Returns whether the server may have granted the slot without our knowledge. If so, no other
     * client can get it until the lease expires. If false, the server has certainly not granted it,
     * for example because no connection could be made.
     */
    public boolean mayHold() {
        return mayHold;
    }
}
