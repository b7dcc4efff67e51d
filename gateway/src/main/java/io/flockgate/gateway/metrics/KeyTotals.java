package io.flockgate.gateway.metrics;

/** The holders and waiters of all keys by kind, at one time. */
record KeyTotals(long locksHeld, long lockWaiters, long semaphoreHolders, long semaphoreWaiters) {}
