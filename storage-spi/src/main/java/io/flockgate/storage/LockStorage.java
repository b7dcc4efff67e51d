package io.flockgate.storage;

import io.flockgate.storage.ClaimOutcome.Ticket;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * A storage of keys, their holders and their queues. Each sentence of its contract is a case of the
 * storage TCK:
 *
 * <ul>
 *   <li>A key never has more holders than its limit. A lock is a key with limit 1. The claim that
 *       creates the key sets its kind and limit, which stay while the key has holders, waiters or
 *       recent activity.
 *   <li>First come, first served: a claim never overtakes a waiter, and only the head of a queue is
 *       granted.
 *   <li>A grant lasts until it is released, until its lease ends, or until the storage gives it up.
 *       A lease of n seconds ends exactly n seconds after it was started or last renewed.
 *   <li>The token exists as soon as the grant is made. Fences rise in the order of the grants of a
 *       key.
 *   <li>Any client with the token may release and renew, through any gateway of the storage. A
 *       token that is not held, or is no longer held, changes nothing.
 *   <li>A grant that outlives the process is durable before its claimant learns of it. Its token is
 *       valid in the next process, its lease restarts there, and later fences are greater.
 *   <li>An expected outcome is a value. A future fails with {@link StorageException} only.
 * </ul>
 *
 * No call blocks; all are safe from any thread. Futures complete on any thread, possibly before the
 * call returns.
 */
public interface LockStorage extends KeyAdministration {
    /**
     * Takes a slot of a key, or else a place in its queue, for the claimant. Creates the key if it
     * does not exist.
     */
    Future<ClaimOutcome> claim(Claim claim, Claimant claimant);

    /**
     * Gives up a place in a queue. The result for a place that was given up or granted before is
     * {@link LeaveOutcome#GRANTED}.
     */
    Future<LeaveOutcome> leave(Ticket ticket);

    /** Ends a grant; the next waiter is granted before the future completes. */
    Future<ReleaseOutcome> release(Key key, Token token);

    /**
     * Restarts the lease of a grant, for 1 to {@link Claim#MAX_SECONDS} seconds from now: longer or
     * shorter than before.
     */
    Future<RenewOutcome> renew(Key key, Token token, long leaseSeconds);

    /**
     * The id of the grants in this storage: 1 to 64 ASCII letters, digits, hyphens and underscores.
     * Grants that were made under an id may still exist while the storage has that id, even after a
     * restart. Another id means that all of them have ended. Empty if the storage makes no such
     * statement. Does not change while the storage is open, and does not block.
     */
    default Optional<String> incarnation() {
        return Optional.empty();
    }

    /** The grants that outlive the process of this storage. Does not block. */
    default Survival survival() {
        return Survival.NONE;
    }

    /**
     * The clients of the previous process whose grants this storage has kept ({@link
     * Survival#KEPT}). Their leases have been restarted. Each client is listed once, by the first
     * call.
     */
    default List<KeptClient> keptClients() {
        return List.of();
    }

    /**
     * Ends everything that this process holds, except the grants that outlive it ({@link
     * #survival}). Frees files, threads and connections. Later calls fail as closed.
     */
    Future<Void> close();

    /** The result of a release. */
    enum ReleaseOutcome {
        RELEASED,
        /** The key is not held by this token. Nothing has changed. */
        NOT_HELD
    }

    /** The result of a renewal. */
    enum RenewOutcome {
        /** The lease was restarted, for exactly the seconds of the call. */
        RENEWED,
        /** The key is not held by this token. Nothing has changed. */
        NOT_HELD,
        /** The lease of this token's grant had expired. The grant has now ended. */
        LEASE_EXPIRED
    }

    /** The result of giving up a place in the queue. */
    enum LeaveOutcome {
        /** The place was given up; {@link Claimant#granted} will not be called for it. */
        LEFT,
        /**
         * The claim was granted first, and {@link Claimant#granted} has been called or will be; or
         * an operator removed it first, and {@link Claimant#removed} has been called or will be.
         */
        GRANTED
    }

    /** The grants that outlive the process of a storage, however that process ends. */
    enum Survival {
        /** All grants end with the process. */
        NONE,
        /** Grants of detached claimants last until they are released or their leases end. */
        DETACHED,
        /**
         * As {@link #DETACHED}, for every claimant with a memo. The next process recovers the
         * clients with their grants.
         */
        KEPT
    }

    /** A client of an earlier process whose grants the storage has kept. Thread safe. */
    interface KeptClient {
        /** The memo of the claimant that took the grants. */
        byte[] memo();

        /**
         * Hands the grants over to a claimant, which is notified of their endings from now on. Must
         * be called only once.
         *
         * @return the grants that have not ended yet
         */
        List<Grant> adopt(Claimant claimant);
    }
}
