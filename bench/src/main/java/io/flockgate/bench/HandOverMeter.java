package io.flockgate.bench;

import org.HdrHistogram.Histogram;

/**
 * A meter of one key: counts holders and times hand-overs, as the clients see them. A holder counts
 * from its grant received to its release sent, so a correct server never shows more than the limit.
 * A hand-over runs from a release sent to the next grant received, provided that this grant's
 * acquire was already waiting. Thread safe.
 */
public final class HandOverMeter {
    private final int limit;

    /** Send times of the releases not yet followed by a grant; at most {@link #limit} of them. */
    private final long[] sent;

    private final Histogram handOvers = Latencies.histogram();
    private boolean measuring;
    private long measured;
    private long firstSent;
    private long nextSent;
    private long grants;
    private int held;

    public HandOverMeter(int limit) {
        this.limit = limit;
        this.sent = new long[limit];
    }

    /** Starts recording figures. Holders are counted at all times. */
    public synchronized void begin() {
        measuring = true;
    }

    public synchronized void end() {
        measuring = false;
    }

    /** The number of grants while figures were recorded. */
    public synchronized long grants() {
        return measured;
    }

    /** A copy of the times so far, in nanoseconds. */
    public synchronized Histogram handOvers() {
        return handOvers.copy();
    }

    /** Call this before the release is sent. */
    public synchronized void releasing(long now) {
        held--;
        sent[(int) (nextSent++ % limit)] = now;
    }

    /** Counts a holder. @throws BenchException when there are now more holders than the limit */
    public synchronized void granted(long acquireSent, long now) {
        if (++held > limit) {
            throw new BenchException(held + " holders at once where " + limit + " may hold");
        }
        measured += measuring ? 1 : 0;
        // The first grants take slots that no client has released.
        if (++grants > limit) {
            long released = sent[(int) (firstSent++ % limit)];
            if (measuring && acquireSent < released) {
                Latencies.record(handOvers, now - released);
            }
        }
    }
}
