package io.flockgate.storage.rules;

/** The caps on holders and waiters that a claim must respect. */
public interface ClaimLimits {
    /** Whether there is room for one more holder, counting those of all semaphores. */
    boolean hasRoomForHolder();

    /** The longest queue of a key; 0 for no limit. */
    long maxWaiters();
}
