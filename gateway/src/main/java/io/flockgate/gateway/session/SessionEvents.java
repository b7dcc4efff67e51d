package io.flockgate.gateway.session;

import io.flockgate.storage.Ending;
import io.flockgate.storage.Kind;
import io.flockgate.storage.Refusal;

/**
 * What happens to the claims of all sessions, for those who count. Told on event loops, and {@link #ended} on any thread:
 * implementations must be thread safe, must not block and must not throw. Times are in nanoseconds and never negative.
 *
 * <p>A grant is told once, when its session has it. One that is given back because nobody waits for it any more may not be
 * told as granted; its end is.
 */
public interface SessionEvents {
    /** Nobody listens: costs next to nothing. */
    SessionEvents NONE = new SessionEvents() {};

    /** A slot was free. */
    default void grantedAtOnce(Kind kind) {}

    /** A claim that had to queue has reached a slot so long after it was made. */
    default void grantedAfter(Kind kind, long waitedNanos) {}

    /** A client that was waiting is told of its grant so long after the storage made it. */
    default void handedOver(long nanos) {}

    /** A grant has ended, having been held so long. On any thread. */
    default void ended(Kind kind, long heldNanos, Ending ending) {}

    /** A claim got neither a slot nor a place in the queue. */
    default void refused(Refusal refusal) {}
}
