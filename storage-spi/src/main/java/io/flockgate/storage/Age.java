package io.flockgate.storage;

/**
 * The time for which a client has held or waited.
 *
 * @param nanos never negative
 * @param exact whether it is the time itself; otherwise the client has held or waited at least so
 *     long
 * @param sinceSeconds the beginning by the wall clock of the gateway that has recorded it, in
 *     seconds since 1970; 0 when none has
 */
public record Age(long nanos, boolean exact, long sinceSeconds) {
    /** A time that this process has measured. Its beginning is the same in every look. */
    public static Age exact(long nanos, long sinceSeconds) {
        return new Age(Math.max(0, nanos), true, sinceSeconds);
    }

    /** A bound. */
    public static Age atLeast(long nanos, long sinceSeconds) {
        return new Age(Math.max(0, nanos), false, sinceSeconds);
    }
}
