package io.flockgate.text;

import java.util.Comparator;
import java.util.stream.Stream;

/** The known word that somebody may have meant. */
public final class Suggestion {
    private Suggestion() {}

    /** {@code ": did you mean x?"}; empty when no candidate is near. */
    public static String of(String word, Stream<String> candidates) {
        int near = Math.clamp(word.length() / 3, 1, 3);
        return candidates
                .filter(candidate -> Math.abs(candidate.length() - word.length()) <= near)
                .filter(candidate -> distance(word, candidate) <= near)
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
                .map(candidate -> ": did you mean " + candidate + "?")
                .orElse("");
    }

    /** The number of characters to insert, delete or replace. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
