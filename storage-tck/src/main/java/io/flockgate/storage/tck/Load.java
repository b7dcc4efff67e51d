package io.flockgate.storage.tck;

/**
 * How much the contention contract asks of a storage.
 *
 * @param threads how many claim at the same time; more than the slots of a key, so that they queue
 * @param claims how many claims each thread makes, one after the other
 * @param expiries how many of them are left to the end of their lease of 1 s, which a real store must wait for
 */
public record Load(int threads, int claims, int expiries) {
    /** For a storage that takes microseconds for a call. */
    public static final Load FAST = new Load(8, 500, 20);

    /** For a storage that takes milliseconds for a call, and on which time really passes. */
    public static final Load SLOW = new Load(6, 30, 1);
}
