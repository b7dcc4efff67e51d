package io.flockgate.gateway.metrics;

import io.flockgate.storage.LockStorage;
import io.flockgate.text.Reason;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gauges of the holders and waiters of all keys. They show the last {@link #read}; not a number if it failed. */
final class KeyGauges {
    private static final Logger LOG = LoggerFactory.getLogger(KeyGauges.class);

    private final Vertx vertx;
    private final LockStorage storage;
    private final long maxMillis;
    private final Runnable late;
    private volatile @Nullable KeyTotals totals;

    /** Whether a read has taken too long since the last that came in time. Scrapes may come in a quick row. */
    private volatile boolean isLate;

    /** @param maxMillis the maximum time of a read; a longer read counts as failed */
    KeyGauges(Vertx vertx, LockStorage storage, MeterRegistry registry, long maxMillis) {
        this(vertx, storage, registry, maxMillis, () -> LOG.warn("storage not read in time for metrics"));
    }

    /** @param late reports a read that takes too long, unless those before it did so too */
    KeyGauges(Vertx vertx, LockStorage storage, MeterRegistry registry, long maxMillis, Runnable late) {
        this.vertx = vertx;
        this.storage = storage;
        this.maxMillis = maxMillis;
        this.late = late;
        gauge("dflockd.locks.held", "Currently held locks.", KeyTotals::locksHeld, registry);
        gauge("dflockd.lock.waiters", "Current lock waiters.", KeyTotals::lockWaiters, registry);
        gauge("dflockd.semaphore.holders", "Currently held semaphore slots.", KeyTotals::semaphoreHolders, registry);
        gauge("dflockd.semaphore.waiters", "Current semaphore waiters.", KeyTotals::semaphoreWaiters, registry);
        Gauge.builder("flockgate.storage.readable", () -> totals == null ? 0 : 1)
                .description("1 when this scrape has read the storage's keys, 0 when it could not.")
                .register(registry);
    }

    private void gauge(String name, String description, ToLongFunction<KeyTotals> part, MeterRegistry registry) {
        Gauge.builder(name, () -> of(totals, part)).description(description).register(registry);
    }

    private static double of(@Nullable KeyTotals totals, ToLongFunction<KeyTotals> part) {
        return totals == null ? Double.NaN : part.applyAsLong(totals);
    }

    /** Sums up all keys again. To be called one at a time. Never fails. */
    Future<Void> read() {
        KeyWalk walk = new KeyWalk(vertx, storage);
        Promise<@Nullable KeyTotals> read = Promise.promise();
        long timer = vertx.setTimer(maxMillis, ignored -> {
            if (read.tryComplete(null)) {
                walk.abandon();
                reportLate();
            }
        });
        walk.run().onComplete(read::tryComplete, cause -> {
            LOG.atDebug().addKeyValue("err", Reason.of(cause)).log("storage not read for metrics");
            boolean unused = read.tryComplete(null);
        });
        return read.future().map(found -> {
            boolean unused = vertx.cancelTimer(timer);
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
