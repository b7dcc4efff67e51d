package io.flockgate.options;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The part of {@code --help} that describes options, at most {@link #WIDTH} columns wide. */
public final class OptionHelp {
    public static final int WIDTH = 100;

    private static final int SECOND_COLUMN = 42;
    private static final String INDENT = "      ";

    private OptionHelp() {}

    /** The options in this order: flag, variable and default of each, and its help below. */
    public static String of(List<Option<?>> options) {
        StringBuilder out = new StringBuilder();
        options.forEach(option -> append(out, option));
        return out.toString();
    }

    private static void append(StringBuilder out, Option<?> option) {
        String flag = "  " + option.dashed()
                + (option.type().isSwitch() ? "" : " <" + option.type().placeholder() + ">");
        String defaultText = option.shownDefault().isEmpty() ? "" : "default " + option.shownDefault();
        String sources = Stream.of(option.variable(), defaultText)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
        out.append(flag);
        if (!sources.isEmpty()) {
            out.repeat(' ', Math.max(1, SECOND_COLUMN - flag.length())).append(sources);
        }
        wrap(out.append('\n').append(INDENT), option.help());
        out.append('\n');
    }

    private static void wrap(StringBuilder out, String text) {
        int column = INDENT.length();
        for (String word : text.split(" ", -1)) {
            boolean first = column == INDENT.length();
            if (!first && column + 1 + word.length() > WIDTH) {
                out.append('\n').append(INDENT);
                column = INDENT.length();
                first = true;
            }
            out.append(first ? "" : " ").append(word);
            column += word.length() + (first ? 0 : 1);
        }
    }
}
