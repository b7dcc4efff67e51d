package io.flockgate.gateway.metrics;

/** Holders and waiters of all keys, by kind: one look at the storage. */
record KeyTotals(long locksHeld, long lockWaiters, long semaphoreHolders, long semaphoreWaiters) {}
