package io.flockgate.storage;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * Offers what operators need of a storage: lists of keys, orders that set stuck slots free, and
 * reports about the storage itself. No call blocks; all are safe from any thread. Futures complete
 * on any thread, possibly before the call returns, and fail with {@link StorageException} only.
 */
public interface KeyAdministration {
    /** The maximum number of gateways that are listed. */
    int MAX_GATEWAYS = 1_000;

    /**
     * Ends the grant with this fence for an operator, as {@link Ending#LOST}, and no later one. The
     * next waiter is granted before the future completes. A grant that another gateway has made is
     * ended there in the same way, as soon as that gateway sees it.
     *
     * @param force whether to end a grant that other software than Flockgate has made
     */
    Future<EvictOutcome> evict(Key key, long fence, boolean force);

    /**
     * Takes a waiter out of a queue for an operator. Its claimant gets {@link Claimant#removed},
     * and no grant.
     *
     * @param waiter the id of the waiter, as inspections show it
     */
    Future<RemoveOutcome> removeWaiter(Key key, String waiter);

    /** Some of the keys that exist, in the storage's own fixed order. */
    Future<KeyPage> inspect(KeyQuery query);

    /** Some of the holders and waiters of one key; empty when it does not exist. */
    Future<Optional<KeyDetail>> inspect(KeyDetailQuery query);

    /**
     * Whether a claim of this process may be queued. May be false for a moment while the storage
     * replaces the place of a waiter. Does not block.
     */
    default boolean mayHaveWaiters() {
        return true;
    }

    /**
     * The other gateways of this storage that are alive, for operators: at most {@link
     * #MAX_GATEWAYS}. One that was killed stays for some seconds. A storage within one process has
     * none.
     */
    default Future<List<GatewayView>> otherGateways() {
        return Future.succeededFuture(List.of());
    }

    /** The number of keys beside the cap on it. Does not block. */
    KeyUsage usage();

    /**
     * The reason why new claims would fail now, for an operator; empty when they would not. Does
     * not block.
     */
    Optional<String> failureReason();
}
