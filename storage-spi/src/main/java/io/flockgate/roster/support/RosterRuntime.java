package io.flockgate.roster.support;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/**
 * The clock, the timer and the threads of {@link SerialRosters}.
 *
 * @param clock the time of day, which is shown with members
 * @param worker runs loops, which block, and never interrupts them
 * @param gateway the node name of this gateway
 */
public record RosterRuntime(InstantSource clock, Timer timer, Executor worker, String gateway) {
    /** Runs short tasks after a delay. Thread safe. */
    @FunctionalInterface
    public interface Timer {
        /**
         * Runs a task that does not block, on any thread.
         *
         * @return cancels the task if it has not begun
         */
        @CanIgnoreReturnValue
        Runnable after(long nanos, Runnable task);
    }
}
