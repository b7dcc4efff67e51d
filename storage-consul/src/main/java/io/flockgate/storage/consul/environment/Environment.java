package io.flockgate.storage.consul.environment;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.random.RandomGenerator;

/**
 * The clock, the timers, the threads and the randomness of one storage. A test or a simulation can
 * pass its own. Thread safe.
 */
public interface Environment extends AutoCloseable {
    /** A timer that can be cancelled. A task that has begun runs to its end. */
    interface Timer {
        void cancel();
    }

    /** The time in nanoseconds since an arbitrary moment. It never goes back. */
    long now();

    /**
     * The time of day in nanoseconds since 1970. It may go back or jump, but unlike {@link #now} it
     * advances while the machine is suspended.
     */
    long timeOfDay();

    /**
     * Blocks the thread for this time.
     *
     * @throws InterruptedException when the thread is interrupted
     */
    void sleep(long nanos) throws InterruptedException;

    /**
     * Blocks the thread for this time. Returns false when it was interrupted, and lets the
     * interrupt stay set.
     */
    default boolean pause(long nanos) {
        try {
            sleep(nanos);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Starts a thread that may block, and that does not keep the process alive. */
    @CanIgnoreReturnValue
    Thread start(String name, Runnable task);

    /**
     * Runs a short task after this time, unless this environment has been closed by then. The task
     * must not block.
     */
    Timer after(long nanos, Runnable task);

    /**
     * Runs a task repeatedly on its own thread, with this time between two runs and before the
     * first. The task may block; cancelling interrupts it.
     */
    Timer repeat(String name, long nanos, Runnable task);

    /** Random numbers that cannot be guessed. Thread safe. */
    RandomGenerator random();

    /** Stops all timers. Threads end by themselves. */
    @Override
    void close();
}
