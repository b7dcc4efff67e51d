package io.flockgate.storage.memory.journal;

import java.util.concurrent.TimeUnit;

/**
 * The time limits of a journal, in nanoseconds.
 *
 * @param linger the maximum time that a record waits for others to share its flush, if no client
 *     waits for it
 * @param slow the duration beyond which a flush is reported
 * @param giveUp the maximum time that a client waits for a flush
 * @param retry the pause between two attempts to rewrite the journal
 */
record Patience(long linger, long slow, long giveUp, long retry) {
    static final Patience USUAL = new Patience(
            TimeUnit.MILLISECONDS.toNanos(5),
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(3),
            TimeUnit.SECONDS.toNanos(1));
}
