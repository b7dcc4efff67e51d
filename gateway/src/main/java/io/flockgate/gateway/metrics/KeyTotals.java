package io.flockgate.gateway.metrics;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyPage;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The holders and waiters of all keys, summed up page by page on worker threads, so that a million
 * keys stall no event loop. A change during the pass may or may not be counted. Each step happens
 * after the previous one, whichever thread runs it.
 */
final class KeyTotals {
    /** The upper bounds of the lengths of queues that are counted; any length is a bound too. */
    static final List<Integer> BOUNDS = List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, Integer.MAX_VALUE);

    private static final int PAGE = 1024;
    private static final int PAGES_PER_TASK = 16;

    final OfKind locks = new OfKind();
    final OfKind semaphores = new OfKind();

    /** The number of queues whose length is within each bound. */
    final long[] queues = new long[BOUNDS.size()];

    long keys;
    private @Nullable Key after;

    static final class OfKind {
        long holders;
        long waiters;

        /** The age of the oldest grant; 0 without one. */
        long longestHoldNanos;
    }

    /**
     * Sums up all pages. Fails when the storage fails.
     *
     * @param abandoned ends the pass at the next page
     */
    static Future<KeyTotals> of(Vertx vertx, KeyAdministration storage, BooleanSupplier abandoned) {
        return new KeyTotals().addAll(vertx, storage, abandoned);
    }

    private Future<KeyTotals> addAll(Vertx vertx, KeyAdministration storage, BooleanSupplier abandoned) {
        return vertx.executeBlocking(() -> addSome(storage, abandoned), false)
                .compose(more -> more)
                .compose(more -> more ? addAll(vertx, storage, abandoned) : Future.succeededFuture(this));
    }

    /** Sums up some pages, and returns whether there are more. */
    private Future<Boolean> addSome(KeyAdministration storage, BooleanSupplier abandoned) {
        for (int i = 0; i < PAGES_PER_TASK && !abandoned.getAsBoolean(); i++) {
            Future<KeyPage> page = storage.inspect(new KeyQuery(new byte[0], after, PAGE));
            if (!page.succeeded()) {
                return page.map(this::add);
            }
            if (!add(page.result())) {
                return Future.succeededFuture(false);
            }
        }
        return abandoned.getAsBoolean() ? Future.failedFuture("abandoned") : Future.succeededFuture(true);
    }

    private boolean add(KeyPage page) {
        page.keys().forEach(this::add);
        after = page.next();
        return after != null;
    }

    private void add(KeySummary key) {
        OfKind kind = key.kind() == Kind.LOCK ? locks : semaphores;
        kind.holders += key.holders();
        kind.waiters += key.waiters();
        kind.longestHoldNanos = Math.max(kind.longestHoldNanos, key.heldNanos());
        keys++;
        for (int i = 0; key.waiters() > 0 && i < queues.length; i++) {
            queues[i] += key.waiters() <= BOUNDS.get(i) ? 1 : 0;
        }
    }
}
