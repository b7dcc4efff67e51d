package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;
import org.jspecify.annotations.Nullable;

/**
 * A listener for what happens to all sessions and their claims. Called on event loops, and {@link
 * #ended} on any thread: implementations must be thread safe, must not block and must not throw.
 * Times are in nanoseconds and never negative.
 *
 * <p>A grant is reported once, when its session has it. A grant that is released because its
 * request has ended may never be reported as granted, but its end is reported.
 */
public interface SessionEvents {
    /** A session as listeners see it. */
    interface WatchedSession {
        /** The number of the client in reports and in the log. */
        long id();

        ClientDescription description();

        /** The name of the client's token; empty where no token is configured. */
        String principal();
    }

    /** The time that a grant at once has waited. Another grant may have waited for 0. */
    long AT_ONCE = -1;

    /** A session has begun or ended. */
    default void session(WatchedSession session, boolean began) {}

    /**
     * A claim has a place in the queue, or was refused.
     *
     * @param refusal a {@link io.flockgate.storage.ClaimOutcome.Refusal} of the storage, or a
     *     {@link ClientRefusal} of the session; null for a place
     */
    default void claimed(WatchedSession session, Claim claim, @Nullable Enum<?> refusal) {}

    /**
     * A claim was granted.
     *
     * @param waitedNanos the time since the claim, or {@link #AT_ONCE} if a slot was free
     */
    default void granted(WatchedSession session, Grant grant, long waitedNanos) {}

    /** A waiting client receives its grant this long after the storage made it. */
    default void handedOver(long nanos) {}

    /** A grant has ended after it was held for this long. On any thread. */
    default void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending) {}
}
