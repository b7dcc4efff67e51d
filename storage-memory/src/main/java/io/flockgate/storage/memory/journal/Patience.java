package io.flockgate.storage.memory.journal;

import java.util.concurrent.TimeUnit;

/**
 * The times of a journal, in nanoseconds.
 *
 * @param linger the longest time that a record waits for others to share its flush, if no client
 *     waits for it
 * @param slow a flush that takes longer is reported
 * @param giveUp a client does not wait longer for a flush
 * @param retry the pause between two attempts to write the journal anew
 */
record Patience(long linger, long slow, long giveUp, long retry) {
    static final Patience USUAL = new Patience(
            TimeUnit.MILLISECONDS.toNanos(5),
            TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(3),
            TimeUnit.SECONDS.toNanos(1));
}
