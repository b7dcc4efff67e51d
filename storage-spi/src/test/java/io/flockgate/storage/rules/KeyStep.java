package io.flockgate.storage.rules;

/**
 * One event that may happen to a key. {@code which} picks one of all grants or waiters that ever
 * existed, so that stale ones are tried as well.
 */
sealed interface KeyStep {
    /** {@code other} is the limit of a claim on a semaphore; 0 for that of the key. */
    record DoClaim(int other, int seconds, boolean mayQueue) implements KeyStep {}

    record DoLeave(int which) implements KeyStep {}

    record DoSetLimit(int limit) implements KeyStep {}

    record DoRelease(int which) implements KeyStep {}

    record DoRenew(int which, int seconds) implements KeyStep {}

    /** A token with the right fence and a wrong salt. */
    record Forge(int which) implements KeyStep {}

    record Pass(long nanos) implements KeyStep {}

    record ExpireAll() implements KeyStep {}

    record ExpireOne(int which) implements KeyStep {}

    /** The token generator can issue at most this many further fences. */
    record Ration(int fences) implements KeyStep {}

    /** The token generator can issue fences again, and waiters are promoted. */
    record Refill() implements KeyStep {}
}
