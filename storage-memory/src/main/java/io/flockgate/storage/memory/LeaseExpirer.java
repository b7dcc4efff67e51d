package io.flockgate.storage.memory;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The thread that ends leases on time.
 *
 * <ol>
 *   <li>It does all work that is due.
 *   <li>It announces the longest possible sleep in {@code wakeAtNanos}, and then looks up the next
 *       lease end.
 *   <li>It announces that end and sleeps until then, at most for the sweep interval.
 *   <li>A lease that ends before the announced time wakes it.
 * </ol>
 *
 * <p>A lease added during step 2 is found by the look-up, or its end is compared with the
 * announcement. The announcement of step 3 may overwrite an earlier time set by another thread,
 * whose unpark then ends the sleep at once.
 */
final class LeaseExpirer {
    private final LongSupplier clock;
    private final long longestSleepNanos;
    private final Runnable work;
    private final LongUnaryOperator nanosToNextEnd;
    private volatile long wakeAtNanos;
    private volatile boolean stopped;
    private volatile @Nullable Thread thread;

    /**
     * @param work does all work that is due: ends leases, and runs the other periodic work
     * @param nanosToNextEnd the time until the next lease end or other work, at most its argument;
     *     negative when it is overdue
     */
    LeaseExpirer(LongSupplier clock, long longestSleepNanos, Runnable work, LongUnaryOperator nanosToNextEnd) {
        this.clock = clock;
        this.longestSleepNanos = longestSleepNanos;
        this.work = work;
        this.nanosToNextEnd = nanosToNextEnd;
        this.wakeAtNanos = clock.getAsLong();
    }

    void start(ThreadFactory threads) {
        Thread started = threads.newThread(this::loop);
        thread = started;
        started.start();
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Receives the end time of every new or renewed lease, under the monitor of its shard. */
    void atLatest(long nanos) {
        if (nanos - wakeAtNanos < 0) {
            wakeAtNanos = nanos;
            LockSupport.unpark(thread);
        }
    }

    private void loop() {
        while (!stopped) {
            work.run();
            long now = clock.getAsLong();
            wakeAtNanos = now + longestSleepNanos;
            long sleep = nanosToNextEnd.applyAsLong(longestSleepNanos);
            if (sleep > 0) {
                wakeAtNanos = now + sleep;
                LockSupport.parkNanos(this, sleep);
            }
        }
    }

    /**
     * The background work of the storage, in small batches: ends leases, grants slots for which no
     * fence could be issued before, and forgets idle keys.
     */
    static final class Housekeeping {
        private final Shard[] shards;
        private final LongSupplier clock;
        private final long gcIntervalNanos;
        private final long gcMaxIdleNanos;
        private final Runnable others;
        private long nextGc;

        /**
         * @param others short work to do before everything else
         */
        Housekeeping(Shard[] shards, LongSupplier clock, long gcIntervalNanos, long gcMaxIdleNanos, Runnable others) {
            this.shards = shards;
            this.clock = clock;
            this.gcIntervalNanos = gcIntervalNanos;
            this.gcMaxIdleNanos = gcMaxIdleNanos;
            this.others = others;
            this.nextGc = clock.getAsLong() + gcIntervalNanos;
        }

        void run() {
            others.run();
            for (Shard shard : shards) {
                while (shard.endDueLeases()) {
                    yieldMonitor();
                }
                shard.retryStalled();
            }
            long now = clock.getAsLong();
            if (now - nextGc >= 0) {
                nextGc = now + gcIntervalNanos;
                for (Shard shard : shards) {
                    while (shard.forgetIdle(gcMaxIdleNanos)) {
                        yieldMonitor();
                    }
                }
            }
        }

        /**
         * Monitors are not fair: without a pause, this thread could reacquire one repeatedly while
         * others wait for it.
         */
        private static void yieldMonitor() {
            LockSupport.parkNanos(1);
        }

        long nanosToNextEnd(long max) {
            long nearest = Math.min(max, nextGc - clock.getAsLong());
            for (Shard shard : shards) {
                nearest = Math.min(nearest, shard.nanosToNextEnd(nearest));
            }
            return nearest;
        }
    }
}
