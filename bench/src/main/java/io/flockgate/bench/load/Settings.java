package io.flockgate.bench.load;

import java.net.InetSocketAddress;

/**
 * The settings of one run, already checked.
 *
 * @param warmupNanos the minimum CPU time that the driver spends on its warm-up
 * @param hot whether all workers compete for one key
 * @param depth keys in a round: requests in one write
 * @param held keys to hold during the measurement, which follows one without them; 0 means none
 * @param pid the server's process id
 */
record Settings(
        Dialect dialect,
        InetSocketAddress address,
        int workers,
        long measureNanos,
        long warmupNanos,
        boolean hot,
        int depth,
        int held,
        long pid) {

    /** The longest wait of an acquire in the server. */
    static final int TIMEOUT_SECONDS = 30;

    static final int LEASE_SECONDS = 10;

    /** The lease of keys that are held during a measurement. */
    static final int HELD_LEASE_SECONDS = 86_400;

    /**
     * The key of one slot of one worker's round. The bare C server queues for keys that begin with
     * h.
     */
    String keyOf(int worker, int slot) {
        if (hot) {
            return "hot";
        }
        return depth == 1 ? "bench_" + worker : "bench_" + worker + "_" + slot;
    }
}
