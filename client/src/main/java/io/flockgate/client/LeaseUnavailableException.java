package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/** The server did not answer, or not usefully: the result is unknown. */
public class LeaseUnavailableException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHold;

    /** A failure with these words; see {@link #mayHold()}. */
    public LeaseUnavailableException(String message, boolean mayHold, @Nullable Throwable cause) {
        super(message, cause);
        this.mayHold = mayHold;
    }

    /**
     * Returns whether the server may have granted the slot without our knowledge. If so, no other
     * client can get it until the time of the lease is over. False: certainly not, for example
     * because no connection could be made.
     */
    public boolean mayHold() {
        return mayHold;
    }
}
