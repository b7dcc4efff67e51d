package io.flockgate.storage;

/**
 * The caps that a storage enforces. A lock has one holder at most, so only semaphores need caps on
 * holders.
 *
 * @param maxLocks the maximum number of keys, at least 1
 * @param maxHolders the maximum number of held slots of all semaphores together; 0 for no limit
 * @param maxWaiters the longest queue of a key; 0 for no limit
 */
public record StorageLimits(long maxLocks, long maxHolders, long maxWaiters) {}
