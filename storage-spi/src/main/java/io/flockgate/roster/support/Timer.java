package io.flockgate.roster.support;

import com.google.errorprone.annotations.CanIgnoreReturnValue;

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
