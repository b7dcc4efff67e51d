package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;

/** What a client can ask of its session. Locks and semaphores differ in their claims only. */
public sealed interface LockRequest {
    /** A slot, waiting up to so many seconds for it; {@code claim.mayQueue} says whether that is more than 0. */
    record Acquire(Claim claim, long timeoutSeconds) implements LockRequest {}

    /** A slot, or a place in the queue. */
    record Enqueue(Claim claim) implements LockRequest {}

    /** To wait up to so many seconds for what was enqueued. */
    record Wait(Key key, long timeoutSeconds) implements LockRequest {}

    /** To give a slot back. */
    record Release(Key key, Token token) implements LockRequest {}

    /** To start a lease anew. */
    record Renew(Key key, Token token, long leaseSeconds) implements LockRequest {}

    /** Whether it may take as long as its client has said. */
    default boolean mayWait() {
        return (this instanceof Acquire acquire && acquire.timeoutSeconds() > 0)
                || (this instanceof Wait wait && wait.timeoutSeconds() > 0);
    }
}
