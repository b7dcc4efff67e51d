package io.flockgate.storage.tck;

/**
 * The load of the contention contract.
 *
 * @param threads the threads that claim concurrently; more than the slots of a key, so that they
 *     queue
 * @param claims the claims of each thread, one after the other
 * @param expiries the claims among them whose lease of 1 s expires, for which a real store must
 *     wait
 */
public record Load(int threads, int claims, int expiries) {
    /** For a storage that takes microseconds for a call. */
    public static final Load FAST = new Load(8, 500, 20);

    /** For a storage that takes milliseconds for a call, and on which real time passes. */
    public static final Load SLOW = new Load(6, 30, 1);
}
