package io.flockgate.gateway.command.shared;

import java.util.ArrayList;
import java.util.List;

/** Rows of text under headings, in columns that fit. A character that could disturb a terminal is shown as {@code ?}. */
public final class Table {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    public void add(String... cells) {
        rows.add(List.of(cells).stream().map(Table::harmless).toList());
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

    public String render() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(row.get(column))
                        .repeat(' ', width(column) - row.get(column).length());
                line.append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
