package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Grant;
import io.flockgate.storage.Grant.Ending;

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

    default void began(WatchedSession session) {}

    default void left(WatchedSession session) {}

    /** A claim has a place in the queue. */
    default void queued(WatchedSession session, Claim claim) {}

    /** A claim was granted at once, because a slot was free. */
    default void grantedAtOnce(WatchedSession session, Grant grant) {}

    /** A queued claim was granted this long after it was made. */
    default void grantedAfter(WatchedSession session, Grant grant, long waitedNanos) {}

    /** A waiting client receives its grant this long after the storage made it. */
    default void handedOver(long nanos) {}

    /** A grant has ended after it was held for this long. On any thread. */
    default void ended(WatchedSession session, Grant grant, long heldNanos, Ending ending) {}

    /**
     * A claim was refused: it got neither a slot nor a place in the queue.
     *
     * @param reason a {@link io.flockgate.storage.ClaimOutcome.Refusal} of the storage, or a {@link
     *     ClientRefusal} of the session
     */
    default void refused(WatchedSession session, Claim claim, Enum<?> reason) {}
}
