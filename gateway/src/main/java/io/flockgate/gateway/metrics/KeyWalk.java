package io.flockgate.gateway.metrics;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
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
    private final KeyTotals totals = new KeyTotals();
    private @Nullable Key after;

    KeyWalk(Vertx vertx, KeyAdministration storage) {
        this.vertx = vertx;
        this.storage = storage;
    }

    /** Sums up all pages. Fails when the storage fails. */
    Future<KeyTotals> run() {
        return vertx.executeBlocking(this::addPages, false)
                .compose(more -> more)
                .compose(more -> more ? run() : Future.succeededFuture(totals));
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
        page.keys().forEach(totals::add);
        after = page.next();
        return after != null;
    }
}
