package io.flockgate.storage.rules;

/**
 * One thing that may happen to a key. {@code which} picks one of all grants or waiters that ever were, so that stale ones
 * are tried as well.
 */
sealed interface Step {
    record DoClaim(int seconds, boolean mayQueue) implements Step {}

    record DoLeave(int which) implements Step {}

    record DoRelease(int which) implements Step {}

    record DoRenew(int which, int seconds) implements Step {}

    /** A token with a right fence and a wrong salt. */
    record Forge(int which) implements Step {}

    record Pass(long nanos) implements Step {}

    record ExpireAll() implements Step {}

    record ExpireOne(int which) implements Step {}

    /** The mint can issue so many fences more, at most. */
    record Ration(int fences) implements Step {}

    /** The mint can issue fences again, and is asked to. */
    record Refill() implements Step {}
}
