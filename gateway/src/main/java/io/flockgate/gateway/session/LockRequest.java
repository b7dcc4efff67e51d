package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;

/**
 * A request of a client to its session, whichever protocol it uses. Locks and semaphores differ
 * only in their claims.
 */
public sealed interface LockRequest {
    /**
     * Acquires a slot, waiting for it up to this many seconds. {@code claim.mayQueue} says whether
     * that is more than 0.
     */
    record Acquire(Claim claim, long timeoutSeconds) implements LockRequest {}

    /**
     * Acquires a slot or a place in the queue, and remembers the claim for a {@link Wait}. {@code
     * claim.mayQueue} must be true.
     */
    record Enqueue(Claim claim) implements LockRequest {}

    /**
     * Waits up to this many seconds for the enqueued claim. After that the key is no longer
     * enqueued, whatever the outcome.
     */
    record Wait(Key key, long timeoutSeconds) implements LockRequest {}

    /** Releases the slot of a token, which may belong to another client. */
    record Release(Key key, Token token) implements LockRequest {}

    /** Restarts the lease of a token's grant, which may belong to another client. */
    record Renew(Key key, Token token, long leaseSeconds) implements LockRequest {}

    default Key key() {
        return switch (this) {
            case Acquire acquire -> acquire.claim().key();
            case Enqueue enqueue -> enqueue.claim().key();
            case Wait wait -> wait.key;
            case Release release -> release.key;
            case Renew renew -> renew.key;
        };
    }

    /** Whether the request may wait for a slot, up to the client's timeout. */
    default boolean mayWait() {
        return (this instanceof Acquire acquire && acquire.timeoutSeconds() > 0)
                || (this instanceof Wait wait && wait.timeoutSeconds() > 0);
    }
}
