package io.flockgate.gateway.session;

import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.Token;
import io.vertx.core.Handler;

/**
 * A request of a client to its session, whichever protocol it uses. Locks and semaphores differ
 * only in their claims.
 */
public sealed interface LockRequest {
    /**
     * Takes a slot, and waits up to this many seconds for it. {@code claim.mayQueue} says whether
     * that is more than 0.
     */
    record Acquire(Claim claim, long timeoutSeconds) implements LockRequest {}

    /** Takes a slot, or a place in the queue. */
    record Enqueue(Claim claim) implements LockRequest {}

    /** Waits up to this many seconds for the enqueued claim. */
    record Wait(Key key, long timeoutSeconds) implements LockRequest {}

    /** Releases a slot. */
    record Release(Key key, Token token) implements LockRequest {}

    /** Restarts a lease. */
    record Renew(Key key, Token token, long leaseSeconds) implements LockRequest {}

    /**
     * Carries out the request in the session. The handler receives the outcome once, possibly
     * before the method returns.
     */
    default void carryOut(LockSession session, Handler<Outcome> answer) {
        switch (this) {
            case Acquire acquire -> session.acquire(acquire.claim(), acquire.timeoutSeconds(), answer);
            case Enqueue enqueue -> session.enqueue(enqueue.claim(), answer);
            case Wait wait -> session.await(wait.key(), wait.timeoutSeconds(), answer);
            case Release release -> session.release(release.key(), release.token(), answer);
            case Renew renew -> session.renew(renew.key(), renew.token(), renew.leaseSeconds(), answer);
        }
    }

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
