package io.flockgate.gateway.metrics;

import io.flockgate.gateway.eventloop.Steps;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.text.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gauges of the holders and waiters of all keys. They show the result of the last {@link
 * #read}, or NaN if it failed. If there are many keys, a result is reused for some seconds, so that
 * scrapes cost a bounded share of a processor, however many there are.
 */
final class KeyGauges {
    /** With more keys than this, the result of a read is reused for a while. */
    static final long MANY_KEYS = 16_384;

    static final long NANOS_OF_MANY = TimeUnit.SECONDS.toNanos(10);

    private static final Logger LOG = LoggerFactory.getLogger(KeyGauges.class);
    private static final double NANOS_PER_SECOND = 1e9;

    /** The upper bounds of the lengths of queues that are counted; any length is a bound too. */
    private static final List<Integer> BOUNDS =
            List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, Integer.MAX_VALUE);

    private static final int PAGE = 1024;

    private final Vertx vertx;
    private final KeyAdministration storage;
    private final Meters meters;
    private final long maxMillis;
    private final LongSupplier clock;
    private volatile @Nullable KeyTotals totals;

    /** The time of the last read. */
    private volatile long readAt;

    /**
     * The holders and waiters of all keys, summed up page by page. A change during the pass may or
     * may not be counted. Used by one step after another.
     */
    private static final class KeyTotals {
        final OfKind locks = new OfKind();
        final OfKind semaphores = new OfKind();

        /** The number of queues whose length is within each bound. */
        final long[] queues = new long[BOUNDS.size()];

        long keys;
        private @Nullable Key after;

        private static final class OfKind {
            long holders;
            long waiters;

            /** The age of the oldest grant; 0 without one. */
            long longestHoldNanos;
        }

        KeyQuery query() {
            return new KeyQuery(new byte[0], after, PAGE);
        }

        /** Adds a page, and returns whether to read another one. */
        boolean add(KeyPage page) {
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

    /**
     * Makes gauges that show nothing before the first read.
     *
     * @param maxMillis the maximum time of a read; a longer read counts as failed
     * @param clock monotonic nanoseconds
     */
    KeyGauges(Vertx vertx, KeyAdministration storage, Meters meters, long maxMillis, LongSupplier clock) {
        this.vertx = vertx;
        this.storage = storage;
        this.maxMillis = maxMillis;
        this.clock = clock;
        this.meters = meters;
        gauge("dflockd.locks.held", "Currently held locks.", read -> read.locks.holders);
        gauge("dflockd.lock.waiters", "Current lock waiters.", read -> read.locks.waiters);
        gauge("dflockd.semaphore.holders", "Currently held semaphore slots.", read -> read.semaphores.holders);
        gauge("dflockd.semaphore.waiters", "Current semaphore waiters.", read -> read.semaphores.waiters);
        longestHold("lock", read -> read.locks.longestHoldNanos);
        longestHold("semaphore", read -> read.semaphores.longestHoldNanos);
        for (int i = 0; i < BOUNDS.size(); i++) {
            queues(i, BOUNDS.get(i));
        }
        meters.gauge(
                "flockgate.storage.readable",
                "1 when this scrape has read the storage's keys, 0 when it could not.",
                () -> totals == null ? 0 : 1);
    }

    private void gauge(String name, String description, ToDoubleFunction<KeyTotals> part, String... tags) {
        meters.gauge(name, description, () -> of(part), tags);
    }

    private void longestHold(String kind, ToDoubleFunction<KeyTotals> nanos) {
        gauge(
                "flockgate.longest.hold.seconds",
                "Age of the oldest grant that is held now.",
                read -> nanos.applyAsDouble(read) / NANOS_PER_SECOND,
                "kind",
                kind);
    }

    private void queues(int index, int bound) {
        gauge(
                "flockgate.queues",
                "Keys with waiters now, by the number of waiters: 1 to le.",
                read -> read.queues[index],
                "le",
                bound == Integer.MAX_VALUE ? "+Inf" : String.valueOf(bound));
    }

    private double of(ToDoubleFunction<KeyTotals> part) {
        KeyTotals read = totals;
        return read == null ? Double.NaN : part.applyAsDouble(read);
    }

    /**
     * Sums up all keys again, unless there are many and the last read was a moment ago. A worker
     * thread reads each page, so that a million keys stall no event loop. Never fails.
     */
    Future<Void> read() {
        KeyTotals last = totals;
        if (last != null && last.keys > MANY_KEYS && clock.getAsLong() - readAt < NANOS_OF_MANY) {
            return Future.succeededFuture();
        }
        Promise<@Nullable KeyTotals> read = Promise.promise();
        long timer = vertx.setTimer(maxMillis, ignored -> fail(read, "not in time"));
        KeyTotals sums = new KeyTotals();
        Steps.run(this::onWorker, () -> next(sums, read.future()), sums::add, () -> sums)
                .onComplete(read::tryComplete, cause -> fail(read, Reason.of(cause)));
        return read.future().map(found -> {
            boolean unused = vertx.cancelTimer(timer);
            readAt = clock.getAsLong();
            totals = found;
            return null;
        });
    }

    private void onWorker(Runnable step) {
        Future<@Nullable Object> unused = vertx.executeBlocking(Executors.callable(step), false);
    }

    private Future<KeyPage> next(KeyTotals sums, Future<?> read) {
        return read.isComplete() ? Future.failedFuture("abandoned") : storage.inspect(sums.query());
    }

    private static void fail(Promise<@Nullable KeyTotals> read, String reason) {
        if (read.tryComplete(null)) {
            LOG.atDebug().addKeyValue("err", reason).log("storage not read for metrics");
        }
    }
}
