package io.flockgate.client.tck.model;

import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * True time, future events, randomness, and the first violation of an invariant. Single-threaded.
 */
final class World {
    static final long SECOND = 1_000_000_000L;

    static final long TTL = 10 * SECOND;

    private record Event(long at, long number, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final RandomGenerator random;
    private long now;
    private long scheduled;
    private boolean calm;
    private String violation = "";

    World(long seed) {
        // The first numbers of java.util.Random are similar for consecutive seeds.
        this.random = new SplittableRandom(seed);
    }

    long now() {
        return now;
    }

    void at(long time, Runnable task) {
        events.add(new Event(Math.max(time, now), scheduled++, task));
    }

    void after(long nanos, Runnable task) {
        at(now + nanos, task);
    }

    /** Moves to the next event and runs it; false if there is none before the end. */
    boolean step(long end) {
        Event next = events.peek();
        if (next == null || next.at > end) {
            return false;
        }
        events.remove();
        now = next.at;
        next.task.run();
        return true;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    long upTo(long nanos) {
        return (long) (random.nextDouble() * nanos);
    }

    double between(double least, double most) {
        return least + random.nextDouble() * (most - least);
    }

    int index(int size) {
        return random.nextInt(size);
    }

    RandomGenerator random() {
        return random;
    }

    /** From now on nothing is lost or late, and no machine pauses. */
    void calmDown() {
        calm = true;
    }

    boolean isCalm() {
        return calm;
    }

    void require(boolean holds, String invariant) {
        if (!holds && violation.isEmpty()) {
            violation = invariant + ", after " + now / 1e9 + " s";
        }
    }

    String violation() {
        return violation;
    }
}
