package io.flockgate.storage.memory;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that ends leases on time, and looks for idle keys now and then. It sleeps until the earliest lease end it
 * knows of, at most for the sweep interval, and is woken only by a lease that ends before that.
 */
final class LeaseExpirer implements Shard.Alarm {
    private final LongSupplier clock;
    private final long longestSleepNanos;
    private final Chores chores;
    private volatile long wakeAtNanos;
    private volatile boolean stopped;
    private volatile @Nullable Thread thread;

    /** The work of the thread. */
    interface Chores {
        /** Ends all leases that are due, and so on. */
        void run();

        /** The time to the next lease end, at most the given one. */
        long nanosToNextEnd(long most);
    }

    LeaseExpirer(LongSupplier clock, long longestSleepNanos, Chores chores) {
        this.clock = clock;
        this.longestSleepNanos = longestSleepNanos;
        this.chores = chores;
        this.wakeAtNanos = clock.getAsLong();
    }

    void start() {
        thread = Thread.ofPlatform().daemon().name("flockgate-leases").start(this::work);
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void atLatest(long nanos) {
        if (nanos - wakeAtNanos < 0) {
            wakeAtNanos = nanos;
            LockSupport.unpark(thread);
        }
    }

    /**
     * The time to wake is announced before the shards are asked for their next end: a lease added in between is then
     * seen by one side or the other. Announcing an earlier time afterwards may overwrite a still earlier one of another
     * thread; that thread's unpark then ends the sleep at once.
     */
    private void work() {
        while (!stopped) {
            chores.run();
            long now = clock.getAsLong();
            wakeAtNanos = now + longestSleepNanos;
            long sleep = chores.nanosToNextEnd(longestSleepNanos);
            if (sleep > 0) {
                wakeAtNanos = now + sleep;
                LockSupport.parkNanos(this, sleep);
            }
        }
    }
}
