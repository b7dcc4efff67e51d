package io.flockgate.cli.shared;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows of text under headings, in columns as wide as their cells need. A character that could
 * disturb a terminal is shown as {@code ?}.
 */
public final class Table {
    private static final String GAP = "  ";
    private static final int MAX_WIDTH = 40;

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    public void add(String... cells) {
        rows.add(List.of(cells).stream().map(Table::harmless).toList());
    }

    /** Whether there are only headings. */
    public boolean isEmpty() {
        return rows.size() == 1;
    }

    private static String harmless(String cell) {
        StringBuilder text = new StringBuilder();
        cell.codePoints().forEach(c -> text.appendCodePoint(isHarmless(c) ? c : '?'));
        return text.isEmpty() ? "-" : text.toString();
    }

    private static boolean isHarmless(int c) {
        int type = Character.getType(c);
        return type != Character.CONTROL
                && type != Character.FORMAT
                && type != Character.LINE_SEPARATOR
                && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.SURROGATE;
    }

    /**
     * The rows in columns. A cell that is too long for its column moves the rest of its row to the
     * next line, in the columns.
     */
    public String render() {
        int[] widths = new int[rows.getFirst().size()];
        Arrays.setAll(widths, this::width);
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            int start = 0;
            for (int column = 0; column < row.size(); column++) {
                int width = widths[column];
                String cell = row.get(column);
                line.append(cell);
                start += width + GAP.length();
                if (cell.length() > width && column < row.size() - 1) {
                    text.append(line).append('\n');
                    line.setLength(0);
                }
                line.repeat(' ', Math.max(0, start - line.length()));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** The width of the longest cell that is not too long. */
    private int width(int column) {
        return rows.stream()
                .mapToInt(row -> row.get(column).length())
                .filter(length -> length <= MAX_WIDTH)
                .max()
                .orElse(0);
    }
}
