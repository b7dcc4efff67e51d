package io.flockgate.bench.load;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one run, already checked.
 *
 * @param rounds measured rounds of each worker; 0 = by time
 * @param measureNanos the time to measure where rounds is 0
 * @param warmupRounds unmeasured rounds of each worker, at least
 * @param warmupNanos CPU time that the driver spends on warming up, at least
 * @param shared all workers compete for one key
 * @param depth keys in a round: requests in one write
 * @param limit the limit of the shared key
 * @param timeoutSeconds the longest wait of an acquire in the server
 * @param leaseSeconds lease of each grant
 * @param burden keys to hold or silent connections to open, by mode
 * @param pid the server's process, 0 = unknown
 */
record Settings(
        Mode mode,
        Protocol protocol,
        InetSocketAddress address,
        int workers,
        long rounds,
        long measureNanos,
        long warmupRounds,
        long warmupNanos,
        String key,
        boolean shared,
        int depth,
        int limit,
        int timeoutSeconds,
        int leaseSeconds,
        int burden,
        long pid,
        @Nullable String authToken) {

    /** The key of one slot of one worker's round. */
    String keyOf(int worker, int slot) {
        if (shared) {
            return key;
        }
        return depth == 1 ? key + "_" + worker : key + "_" + worker + "_" + slot;
    }
}
