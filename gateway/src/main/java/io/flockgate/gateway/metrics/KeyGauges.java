package io.flockgate.gateway.metrics;

import io.flockgate.storage.KeyAdministration;
import io.flockgate.text.Reason;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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

    private final Vertx vertx;
    private final KeyAdministration storage;
    private final long maxMillis;
    private final LongSupplier clock;
    private final Runnable late;
    private volatile @Nullable KeyTotals totals;

    /** The time of the last read. */
    private volatile long readAt;

    /**
     * Whether a read has taken too long since the last one that finished in time. Scrapes may
     * follow each other quickly.
     */
    private volatile boolean isLate;

    /**
     * @param maxMillis the maximum time of a read; a longer read counts as failed
     */
    KeyGauges(Vertx vertx, KeyAdministration storage, MeterRegistry registry, long maxMillis) {
        this(
                vertx,
                storage,
                registry,
                maxMillis,
                System::nanoTime,
                () -> LOG.warn("storage not read in time for metrics"));
    }

    /**
     * Makes gauges that show nothing before the first read.
     *
     * @param clock monotonic nanoseconds
     * @param late reports a read that takes too long, unless the previous ones did so too
     */
    KeyGauges(
            Vertx vertx,
            KeyAdministration storage,
            MeterRegistry registry,
            long maxMillis,
            LongSupplier clock,
            Runnable late) {
        this.vertx = vertx;
        this.storage = storage;
        this.maxMillis = maxMillis;
        this.clock = clock;
        this.late = late;
        gauge("dflockd.locks.held", "Currently held locks.", read -> read.locks.holders, registry);
        gauge("dflockd.lock.waiters", "Current lock waiters.", read -> read.locks.waiters, registry);
        gauge(
                "dflockd.semaphore.holders",
                "Currently held semaphore slots.",
                read -> read.semaphores.holders,
                registry);
        gauge("dflockd.semaphore.waiters", "Current semaphore waiters.", read -> read.semaphores.waiters, registry);
        longestHold("lock", read -> read.locks, registry);
        longestHold("semaphore", read -> read.semaphores, registry);
        for (int i = 0; i < KeyTotals.BOUNDS.size(); i++) {
            queues(i, KeyTotals.BOUNDS.get(i), registry);
        }
        Gauge.builder("flockgate.storage.readable", () -> totals == null ? 0 : 1)
                .description("1 when this scrape has read the storage's keys, 0 when it could not.")
                .register(registry);
    }

    private void gauge(String name, String description, ToDoubleFunction<KeyTotals> part, MeterRegistry registry) {
        Gauge.builder(name, () -> of(part)).description(description).register(registry);
    }

    private void longestHold(String kind, Function<KeyTotals, KeyTotals.OfKind> part, MeterRegistry registry) {
        Gauge.builder(
                        "flockgate.longest.hold.seconds",
                        () -> of(read -> part.apply(read).longestHoldNanos / NANOS_PER_SECOND))
                .description("Age of the oldest grant that is held now.")
                .tag("kind", kind)
                .register(registry);
    }

    private void queues(int index, int bound, MeterRegistry registry) {
        Gauge.builder("flockgate.queues", () -> of(read -> read.queues[index]))
                .description("Keys with waiters now, by the number of waiters: 1 to le.")
                .tag("le", bound == Integer.MAX_VALUE ? "+Inf" : String.valueOf(bound))
                .register(registry);
    }

    private double of(ToDoubleFunction<KeyTotals> part) {
        KeyTotals read = totals;
        return read == null ? Double.NaN : part.applyAsDouble(read);
    }

    /**
     * Sums up all keys again, unless there are many and the last read was a moment ago. Calls must
     * not overlap. Never fails.
     */
    Future<Void> read() {
        KeyTotals last = totals;
        if (last != null && last.keys > MANY_KEYS && clock.getAsLong() - readAt < NANOS_OF_MANY) {
            return Future.succeededFuture();
        }
        Promise<@Nullable KeyTotals> read = Promise.promise();
        long timer = vertx.setTimer(maxMillis, ignored -> {
            if (read.tryComplete(null)) {
                reportLate();
            }
        });
        KeyTotals.of(vertx, storage, read.future()::isComplete).onComplete(read::tryComplete, cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("storage not read for metrics");
            boolean unused = read.tryComplete(null);
        });
        return read.future().map(found -> {
            boolean unused = vertx.cancelTimer(timer);
            readAt = clock.getAsLong();
            totals = found;
            isLate &= found == null;
            return null;
        });
    }

    private void reportLate() {
        if (!isLate) {
            isLate = true;
            late.run();
        }
    }
}
