package io.flockgate.storage;

/**
 * The time for which a client has held or waited.
 *
 * @param nanos never negative
 * @param exact whether the time is exact; otherwise it is a lower bound
 * @param sinceSeconds the beginning by the wall clock of the gateway that has recorded it, in
 *     seconds since 1970; 0 when no gateway has
 */
public record Age(long nanos, boolean exact, long sinceSeconds) {
    /** A time that this process has measured. Its beginning is the same in every inspection. */
    public static Age exact(long nanos, long sinceSeconds) {
        return new Age(Math.max(0, nanos), true, sinceSeconds);
    }

    /** A lower bound. */
    public static Age atLeast(long nanos, long sinceSeconds) {
        return new Age(Math.max(0, nanos), false, sinceSeconds);
    }
}
