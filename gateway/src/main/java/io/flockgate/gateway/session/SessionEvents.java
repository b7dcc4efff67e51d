package io.flockgate.gateway.session;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;

/**
 * A listener for what happens to the claims of all sessions. Called on event loops, and {@link
 * #ended} on any thread: implementations must be thread safe, must not block and must not throw.
 * Times are in nanoseconds and never negative.
 *
 * <p>A grant is reported once, when its session has it. A grant that is released because its
 * request has ended may never be reported as granted, but its end is reported.
 */
public interface SessionEvents {
    /** The listener that ignores every event. */
    SessionEvents NONE = new SessionEvents() {
        @Override
        public boolean wantsTimes() {
            return false;
        }
    };

    /** Whether the times of hand-overs and endings are worth their cost. */
    default boolean wantsTimes() {
        return true;
    }

    /** A claim was granted at once, because a slot was free. */
    default void grantedAtOnce(Kind kind) {}

    /** A queued claim was granted this long after it was made. */
    default void grantedAfter(Kind kind, long waitedNanos) {}

    /** A waiting client receives its grant this long after the storage made it. */
    default void handedOver(long nanos) {}

    /** A grant has ended after it was held for this long. On any thread. */
    default void ended(Kind kind, long heldNanos, Ending ending) {}

    /** The storage refused a claim, which got neither a slot nor a place in the queue. */
    default void refused(Refusal refusal) {}

    /** A session refused a claim. */
    default void refused(ClientRefusal refusal) {}
}
