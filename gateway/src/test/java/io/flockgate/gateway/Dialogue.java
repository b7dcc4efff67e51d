package io.flockgate.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Steps of a test, separated by semicolons and ends of lines. After an arrow, a step lists
 * everything that comes of it: {@code step -> effect, effect; step}.
 */
public final class Dialogue {
    private Dialogue() {}

    /**
     * Carries out each step.
     *
     * @param act carries out a step and returns what came of it
     */
    public static void play(String text, Function<String, List<String>> act) {
        List<String> steps = Arrays.stream(text.split("[;\n]", -1))
                .map(String::strip)
                .filter(step -> !step.isEmpty())
                .toList();
        List<String> played = new ArrayList<>();
        for (String step : steps) {
            String action = step.replaceFirst(" ->.*", "");
            List<String> effects = act.apply(action);
            played.add(effects.isEmpty() ? action : action + " -> " + String.join(", ", effects));
        }
        assertThat(String.join("\n", played)).isEqualTo(String.join("\n", steps));
    }
}
