package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;

/** A listener for refused claims. On the event loop of each session. */
@FunctionalInterface
public interface RefusalListener {
    /** Ignores them. */
    RefusalListener NONE = (session, claim, reason, now) -> {};

    /**
     * A claim was refused.
     *
     * @param reason a {@link io.flockgate.storage.Refusal} other than {@code BUSY}, or a {@link
     *     ClientRefusal}
     * @param now monotonic nanoseconds
     */
    void refused(WatchedSession session, Claim claim, Enum<?> reason, long now);
}
