package io.flockgate.text;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The known word that an unknown one was probably meant to be. */
public final class Suggestion {
    /** Words that other programs use for the same. */
    private static final List<Set<String>> SYNONYMS = List.of(
            Set.of("release", "unlock", "free"),
            Set.of("lock", "acquire"),
            Set.of("ls", "list", "keys"),
            Set.of("show", "status", "info"),
            Set.of("health", "status"),
            Set.of("run", "exec"),
            Set.of("serve", "start"),
            Set.of("new", "create"));

    private Suggestion() {}

    /** {@code ": did you mean x?"}; empty if no candidate means the same or is close enough. */
    public static String of(String word, Stream<String> candidates) {
        List<String> known = candidates.toList();
        String same = known.stream()
                .filter(candidate -> SYNONYMS.stream().anyMatch(set -> set.contains(word) && set.contains(candidate)))
                .collect(Collectors.joining(" or "));
        return same.isEmpty() ? nearest(word, known) : question(same);
    }

    private static String nearest(String word, List<String> candidates) {
        int near = Math.clamp(word.length() / 3, 1, 3);
        return candidates.stream()
                .filter(candidate -> Math.abs(candidate.length() - word.length()) <= near)
                .filter(candidate -> distance(word, candidate) <= near)
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
                .map(Suggestion::question)
                .orElse("");
    }

    private static String question(String meant) {
        return ": did you mean " + meant + "?";
    }

    /** The number of characters to insert, delete or replace, and of adjacent ones to swap. */
    private static int distance(String one, String other) {
        int[][] edits = new int[one.length() + 1][other.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= other.length(); j++) {
                edits[i][j] = i == 0 || j == 0 ? i + j : distance(one, i, other, j, edits);
            }
        }
        return edits[one.length()][other.length()];
    }

    /** The distance between two prefixes, from those between shorter ones. */
    private static int distance(String one, int i, String other, int j, int[][] edits) {
        int replaced = edits[i - 1][j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replaced, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
        return swapped ? Math.min(best, 1 + edits[i - 2][j - 2]) : best;
    }
}
