package io.flockgate.bench.load;

import org.HdrHistogram.Histogram;

/**
 * A meter of the shared key: counts holders and times hand-overs, as the clients see them. A holder counts from its grant received
 * to its release sent, so a right server never shows more than the limit. A hand-over runs from a release sent to the
 * next grant received, where that grant's acquire was already waiting. Not thread safe.
 */
final class SharedKeyMeter {
    private final int limit;

    /** The times of the releases that no grant has followed yet; {@link #limit} of them at most. */
    private final long[] sent;

    private final Histogram handOffs = Latencies.histogram();
    private long firstSent;
    private long nextSent;
    private long grants;
    private int held;

    SharedKeyMeter(int limit) {
        this.limit = limit;
        this.sent = new long[limit];
    }

    Histogram handOffs() {
        return handOffs;
    }

    /** Begins anew; no one holds. */
    void reset() {
        handOffs.reset();
        firstSent = 0;
        nextSent = 0;
        grants = 0;
        held = 0;
    }

    void releaseSent(long now) {
        held--;
        sent[(int) (nextSent++ % limit)] = now;
    }

    /** Counts a holder. @throws LoadException when there are now more holders than the limit */
    void granted(long acquireSent, long now) {
        if (++held > limit) {
            throw new LoadException(held + " holders at once where " + limit + " may hold");
        }
        if (++grants > limit) {
            long released = sent[(int) (firstSent++ % limit)];
            if (acquireSent < released) {
                handOffs.recordValue(Latencies.clamp(now - released));
            }
        }
    }
}
