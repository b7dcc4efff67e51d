package io.flockgate.client;

import org.jspecify.annotations.Nullable;

/**
 * The grant that some work depended on was lost before the work had ended. Another process may hold
 * the slot.
 */
public final class LeaseLostException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private LeaseLostException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * The loss of a grant, with its reason if that is already known.
     *
     * @param cause what the work itself threw because of it; null if it threw nothing
     */
    public static LeaseLostException of(String name, LeaseGrant grant, @Nullable Throwable cause) {
        return new LeaseLostException("the lease of " + name + " was lost" + reason(grant), cause);
    }

    /** The reason of the loss, after a colon; empty if the loss has not been reported yet. */
    static String reason(LeaseGrant grant) {
        LostEvent event = grant.lost().toCompletableFuture().getNow(null);
        return event == null ? "" : ": " + event.reason() + ", " + event.message();
    }
}
