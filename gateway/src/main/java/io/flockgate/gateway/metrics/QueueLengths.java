package io.flockgate.gateway.metrics;

import java.util.List;

/** A histogram of the lengths of queues. For one thread at a time. */
final class QueueLengths {
    /** The upper bounds of all buckets except the last, which has none. */
    private static final List<Integer> BOUNDS = List.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000);

    static final int BUCKETS = BOUNDS.size() + 1;

    private final long[] counts = new long[BUCKETS];

    /** The upper bound of a bucket, as labels of histograms name it. */
    static String bound(int bucket) {
        return bucket < BOUNDS.size() ? BOUNDS.get(bucket).toString() : "+Inf";
    }

    /** Counts a queue, unless it is empty. */
    void add(int waiters) {
        if (waiters > 0) {
            int bucket = 0;
            while (bucket < BOUNDS.size() && waiters > BOUNDS.get(bucket)) {
                bucket++;
            }
            counts[bucket]++;
        }
    }

    /** The number of queues whose length is within the bound of this bucket. */
    long upTo(int bucket) {
        long sum = 0;
        for (int i = 0; i <= bucket; i++) {
            sum += counts[i];
        }
        return sum;
    }
}
