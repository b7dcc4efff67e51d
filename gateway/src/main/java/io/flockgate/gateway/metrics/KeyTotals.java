package io.flockgate.gateway.metrics;

/**
 * The holders and waiters of all keys by kind, at one point in time.
 *
 * @param longestLockHold the age of the oldest grant of a lock in nanoseconds; 0 without one
 * @param longestSemaphoreHold the same for semaphores
 * @param queues the lengths of the queues of all keys
 */
record KeyTotals(
        long keys,
        long locksHeld,
        long lockWaiters,
        long longestLockHold,
        long semaphoreHolders,
        long semaphoreWaiters,
        long longestSemaphoreHold,
        QueueLengths queues) {}
