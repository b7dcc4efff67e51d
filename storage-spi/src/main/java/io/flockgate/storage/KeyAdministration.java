package io.flockgate.storage;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
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

    /** The result of an eviction by fence. */
    enum EvictOutcome {
        /** The grant has ended, and its slot was freed for the next waiter. */
        EVICTED,
        /** The key is not held. Nothing has changed. */
        NOT_HELD,
        /** The key is held, but not by a grant with this fence. Nothing has changed. */
        FENCE_MISMATCH,
        /**
         * Software other than Flockgate holds the slot, and the call did not force its eviction.
         * Nothing has changed.
         */
        FOREIGN
    }

    /** The result of taking a waiter out of a queue. */
    enum RemoveOutcome {
        /** The waiter no longer has a place, and will not be granted. */
        REMOVED,
        /**
         * No such waiter is in the queue of this key: it was granted, has left, or never existed.
         * Nothing has changed.
         */
        NOT_QUEUED
    }

    /** The result of an order to change the limit of a semaphore. */
    enum LimitOutcome {
        /** The semaphore has this limit now. */
        CHANGED,
        /** The key does not exist. */
        NO_KEY,
        /**
         * The key is a lock, or in use by other software for another purpose. Nothing has changed.
         */
        NO_SEMAPHORE
    }

    /**
     * A gateway of a storage, for operators.
     *
     * @param name the gateway's node name; several gateways may have the same one
     * @param version the version of its build; empty when it is not known
     * @param sinceSeconds the time of its start in seconds since 1970, by its own clock; 0 when it
     *     is not known
     * @param page the address of its page for operators; empty when it is not known
     */
    record GatewayView(String name, String version, long sinceSeconds, String page) {
        public static final int MAX_VERSION_LENGTH = 64;

        public static final int MAX_PAGE_LENGTH = 256;

        /** Whether a text may be the address of a page: never that of a script. */
        public static boolean isPage(String text) {
            return text.length() <= MAX_PAGE_LENGTH && (text.startsWith("http://") || text.startsWith("https://"));
        }
    }

    /**
     * The number of keys, with the cap on it. A storage that several gateways share counts the keys
     * of all of them, possibly with a delay of a few seconds.
     *
     * @param keys the keys that exist
     * @param idle the number of them without holders and waiters
     * @param max the maximum number of keys
     */
    record KeyUsage(long keys, long idle, long max) {}
}
