package io.flockgate.storage;

/**
 * The number of keys, with the cap on it. A storage that several gateways share counts the keys of
 * all of them, possibly with a delay of a few seconds.
 *
 * @param keys the keys that exist
 * @param idle the number of them without holders and waiters
 * @param max the maximum number of keys
 */
public record KeyUsage(long keys, long idle, long max) {}
