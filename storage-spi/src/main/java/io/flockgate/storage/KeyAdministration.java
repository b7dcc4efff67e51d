package io.flockgate.storage;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * The operations of a storage that operators need: lists of keys, orders that free stuck slots, and
 * reports about the storage itself. No call blocks; all are safe from any thread. Futures complete
 * on any thread, possibly before the call returns, and fail with {@link StorageException} only.
 */
public interface KeyAdministration {
    /** The maximum number of gateways that are listed. */
    int MAX_GATEWAYS = 1_000;

    /**
     * Ends the grant with this fence for an operator, as {@link Ending#EVICTED}, but no later
     * grant. The next waiter is granted before the future completes. A grant made by another
     * gateway is ended there in the same way, as soon as that gateway sees it.
     *
     * @param force whether to end a grant that was made by software other than Flockgate
     */
    Future<EvictOutcome> evict(Key key, long fence, boolean force);

    /**
     * Takes a waiter out of a queue for an operator. Its claimant gets {@link Claimant#removed},
     * and no grant.
     *
     * @param waiter the id of the waiter, as inspections show it
     */
    Future<RemoveOutcome> removeWaiter(Key key, String waiter);

    /**
     * Changes the limit of a semaphore for an operator. Waiters are granted the free slots at once.
     * With a lower limit no holder loses its slot, and no slot is granted until enough holders have
     * gone. An idle semaphore takes the limit of its next claim all the same.
     *
     * @param limit at least 1
     */
    Future<LimitOutcome> setLimit(Key key, long limit);

    /** Some of the keys that exist, in the storage's own fixed order. */
    Future<KeyPage> inspect(KeyQuery query);

    /** Some of the holders and waiters of one key; empty when the key does not exist. */
    Future<Optional<KeyDetail>> inspect(KeyDetailQuery query);

    /**
     * The other gateways of this storage that are alive, for operators: at most {@link
     * #MAX_GATEWAYS}. A gateway that was killed stays listed for some seconds. A storage within one
     * process has none.
     */
    default Future<List<GatewayView>> otherGateways() {
        return Future.succeededFuture(List.of());
    }

    /** The number of keys, with the cap on it. Does not block. */
    KeyUsage usage();

    /**
     * The reason why new claims would fail now, for an operator; empty when they would not. Does
     * not block.
     */
    Optional<String> failureReason();
}
