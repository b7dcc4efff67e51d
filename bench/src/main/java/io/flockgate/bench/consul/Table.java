package io.flockgate.bench.consul;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table of text with a heading, as the other tools of the bench print it. */
final class Table {
    private final StringBuilder text = new StringBuilder();

    Table(String heading, String... columns) {
        text.append('\n').append(heading).append("\n\n");
        row(List.of(columns));
        text.append("|---".repeat(columns.length)).append("|\n");
    }

    void add(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(cell.toString());
        }
        row(row);
    }

    private void row(List<String> cells) {
        text.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    @Override
    public String toString() {
        return text.toString();
    }

    static String number(double value, int decimals) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** A figure, its upper bound, and whether the printed figure is within it. */
    static String atMost(double value, double most, int decimals) {
        if (Double.isNaN(value)) {
            return "–";
        }
        boolean kept = Math.round(value * power(decimals)) <= Math.round(most * power(decimals));
        return number(value, decimals) + " (≤ " + number(most, decimals) + ") " + (kept ? "ok" : "**missed**");
    }

    private static double power(int decimals) {
        return Math.pow(10, decimals);
    }
}
