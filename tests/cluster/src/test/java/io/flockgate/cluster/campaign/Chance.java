package io.flockgate.cluster.campaign;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Choices determined by a seed. For one thread. */
final class Chance {
    private final Random random;

    Chance(long seed, String who) {
        random = new Random(seed * 1_000_003 + who.hashCode());
    }

    boolean percent(int percent) {
        return random.nextInt(100) < percent;
    }

    /** Both ends included. */
    int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    <T> List<T> shuffled(List<T> deck) {
        List<T> shuffled = new ArrayList<>(deck);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }
}
