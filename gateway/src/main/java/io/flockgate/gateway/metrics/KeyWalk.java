package io.flockgate.gateway.metrics;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * One pass over all keys of a storage that sums up their holders and waiters. It goes page by page
 * on worker threads, so that a million keys stall no event loop. A change during the pass may or
 * may not be counted. For one run only.
 */
final class KeyWalk {
    private static final int PAGE = 1024;
    private static final int PAGES_PER_TASK = 16;

    private final Vertx vertx;
    private final KeyAdministration storage;
    private volatile boolean abandoned;

    // Each step happens after the previous one, whichever thread runs it.
    private long keys;
    private long locksHeld;
    private long lockWaiters;
    private long longestLockHold;
    private long semaphoreHolders;
    private long semaphoreWaiters;
    private long longestSemaphoreHold;
    private final QueueLengths queues = new QueueLengths();
    private @Nullable Key after;

    KeyWalk(Vertx vertx, KeyAdministration storage) {
        this.vertx = vertx;
        this.storage = storage;
    }

    /** Sums up all pages. Fails when the storage fails. */
    Future<KeyTotals> run() {
        return vertx.executeBlocking(this::addPages, false)
                .compose(more -> more)
                .compose(more -> more ? run() : Future.succeededFuture(totals()));
    }

    /** Ends the pass at the next page. */
    void abandon() {
        abandoned = true;
    }

    /** Sums up some pages, and returns whether there are more. */
    private Future<Boolean> addPages() {
        for (int i = 0; i < PAGES_PER_TASK && !abandoned; i++) {
            Future<KeyPage> page = storage.inspect(new KeyQuery(new byte[0], after, PAGE));
            if (!page.succeeded()) {
                return page.map(this::add);
            }
            if (!add(page.result())) {
                return Future.succeededFuture(false);
            }
        }
        return abandoned ? Future.failedFuture("abandoned") : Future.succeededFuture(true);
    }

    private boolean add(KeyPage page) {
        keys += page.keys().size();
        for (KeySummary key : page.keys()) {
            queues.add(key.waiters());
            if (key.kind() == Kind.LOCK) {
                locksHeld += key.holders();
                lockWaiters += key.waiters();
                longestLockHold = Math.max(longestLockHold, key.heldNanos());
            } else {
                semaphoreHolders += key.holders();
                semaphoreWaiters += key.waiters();
                longestSemaphoreHold = Math.max(longestSemaphoreHold, key.heldNanos());
            }
        }
        after = page.next();
        return after != null;
    }

    private KeyTotals totals() {
        return new KeyTotals(
                keys,
                locksHeld,
                lockWaiters,
                longestLockHold,
                semaphoreHolders,
                semaphoreWaiters,
                longestSemaphoreHold,
                queues);
    }
}
