package io.flockgate.storage;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * The numbers of a key's waiters, by the length of their waits.
 *
 * @param counts the number of waiters between each bound of {@link #BOUNDS_S} and the previous one,
 *     and finally those beyond the last bound
 */
public record WaitCounts(List<Integer> counts) {
    /** Seconds, ascending. */
    public static final List<Integer> BOUNDS_S = List.of(1, 10, 60, 600, 3600);

    /** The maximum number of waiters of a key that are counted, from the head of its queue. */
    public static final int MAX_WAITERS = 20_000;

    /** No waiters. */
    public static final WaitCounts NONE = new Counter().counts();

    public WaitCounts {
        counts = List.copyOf(counts);
    }

    /** Counts waiters. Not thread safe. */
    public static final class Counter {
        private final int[] counts = new int[BOUNDS_S.size() + 1];

        /** Counts a waiter that has waited for this long. */
        public void add(long waitedNanos) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(waitedNanos);
            int at = 0;
            while (at < BOUNDS_S.size() && seconds >= BOUNDS_S.get(at)) {
                at++;
            }
            counts[at]++;
        }

        public WaitCounts counts() {
            return new WaitCounts(IntStream.of(counts).boxed().toList());
        }
    }
}
