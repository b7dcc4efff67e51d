package io.flockgate.cluster.campaign;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Faults of one kind, each of which occurs once, in an order shuffled by the seed; then all occur
 * again in a new order. A rest follows each. For one thread.
 */
final class Deck implements Worker.Round {
    private final Chance chance;
    private final int mostRestMillis;
    private final List<Worker.Round> faults;
    private final Deque<Worker.Round> left = new ArrayDeque<>();

    /**
     * @param faults each from its beginning to its end
     */
    Deck(Chance chance, int mostRestMillis, List<Worker.Round> faults) {
        this.chance = chance;
        this.mostRestMillis = mostRestMillis;
        this.faults = List.copyOf(faults);
    }

    /** One fault, and a period without new ones. */
    @Override
    public void run() throws Exception {
        if (left.isEmpty()) {
            left.addAll(chance.shuffled(faults));
        }
        left.pop().run();
        Thread.sleep(chance.between(mostRestMillis / 8, mostRestMillis));
    }
}
