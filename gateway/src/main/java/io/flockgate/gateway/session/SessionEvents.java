package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Claimant;
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
    default void began(Claimant session) {}

    default void left(Claimant session) {}

    /** A claim has a place in the queue. */
    default void queued(Claimant session, Claim claim) {}

    /** A claim was granted at once, because a slot was free. */
    default void grantedAtOnce(Claimant session, Grant grant) {}

    /** A queued claim was granted this long after it was made. */
    default void grantedAfter(Claimant session, Grant grant, long waitedNanos) {}

    /** A waiting client receives its grant this long after the storage made it. */
    default void handedOver(long nanos) {}

    /** A grant has ended after it was held for this long. On any thread. */
    default void ended(Claimant session, Grant grant, long heldNanos, Ending ending) {}

    /**
     * A claim was refused: it got neither a slot nor a place in the queue.
     *
     * @param reason a {@link io.flockgate.storage.ClaimOutcome.Refusal} of the storage, or one of
     *     {@link Outcome.Plain#OF_SESSION}
     */
    default void refused(Claimant session, Claim claim, Enum<?> reason) {}
}
