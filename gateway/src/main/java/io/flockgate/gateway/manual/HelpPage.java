package io.flockgate.gateway.manual;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The {@code --help} text of a command, parsed into its parts.
 *
 * @param command the word that begins the command; empty for the overview
 */
public record HelpPage(String command, List<Part> parts) {
    private static final String USAGE = "Usage: ";
    private static final String SHORT = "(?<short>-[a-z]), ";
    private static final Pattern OPTION =
            Pattern.compile("  (" + SHORT + ")?(?<name>--[a-z-]+)(?<value> <[^>]+>\\S*)?(\\s+(?<rest>.*))?");

    /** A part of the text, in the order of the text. */
    sealed interface Part {
        /** The syntax of the command, line by line. */
        record Usage(List<String> lines) implements Part {}

        /** The heading of the options below it. */
        record Heading(String text) implements Part {}

        record Paragraph(String text) implements Part {}

        /** Lines that stay as they are. */
        record Verbatim(List<String> lines) implements Part {}

        /**
         * An option.
         *
         * @param name with its dashes
         * @param shortName the one-letter form, with its dash; empty without one
         * @param value its argument, such as {@code <file>}; empty for a switch
         * @param note its variable and default; may be empty
         */
        record Option(String name, String shortName, String value, String note, String text) implements Part {
            boolean takesFile() {
                return value.startsWith("<file>") || value.startsWith("<path>") || value.startsWith("<directory>");
            }
        }
    }

    public HelpPage {
        parts = List.copyOf(parts);
    }

    public static HelpPage of(String command, String text) {
        List<Part> parts = new ArrayList<>();
        List<String> block = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            boolean option = OPTION.matcher(line).matches();
            if (line.isBlank() || option) {
                add(parts, block);
                block.clear();
            }
            if (!line.isBlank()) {
                block.add(line);
            }
        }
        add(parts, block);
        return new HelpPage(command, parts);
    }

    /** Adds a block of lines as a part: an option with its lines, or lines between empty ones. */
    private static void add(List<Part> parts, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        String first = lines.getFirst();
        Matcher option = OPTION.matcher(first);
        if (option.matches()) {
            parts.add(option(option, lines.subList(1, lines.size())));
        } else if (first.startsWith(USAGE)) {
            parts.add(new Part.Usage(lines.stream()
                    .map(line -> line.substring(Math.min(line.length(), USAGE.length())))
                    .toList()));
        } else if (lines.size() == 1 && !first.matches(".*[.:…\"]") && !first.contains(": ")) {
            parts.add(new Part.Heading(first));
        } else if (first.startsWith("  ")) {
            parts.add(new Part.Verbatim(List.copyOf(lines)));
        } else {
            int prose = (int)
                    lines.stream().takeWhile(line -> !line.startsWith("  ")).count();
            parts.add(new Part.Paragraph(String.join(" ", lines.subList(0, prose))));
            if (prose < lines.size()) {
                parts.add(new Part.Verbatim(List.copyOf(lines.subList(prose, lines.size()))));
            }
        }
    }

    /**
     * Parses an option. A note is on the line of the option and names its variable and default.
     * Other text there begins the description.
     */
    private static Part.Option option(Matcher first, List<String> lines) {
        String rest = Optional.ofNullable(first.group("rest")).orElse("");
        boolean note = rest.contains("default") && !rest.endsWith(".");
        Stream<String> described = Stream.concat(note ? Stream.empty() : Stream.of(rest), lines.stream());
        return new Part.Option(
                first.group("name"),
                Optional.ofNullable(first.group("short")).orElse(""),
                Optional.ofNullable(first.group("value")).orElse("").strip(),
                note ? rest : "",
                String.join(
                        " ",
                        described
                                .map(String::strip)
                                .filter(line -> !line.isEmpty())
                                .toList()));
    }

    List<Part.Option> options() {
        return parts.stream()
                .filter(Part.Option.class::isInstance)
                .map(Part.Option.class::cast)
                .toList();
    }

    /** The words that may follow the command, separated by spaces; "ls" is one of "fleetlock". */
    String words() {
        Pattern usage = Pattern.compile("flockgate " + command + " ([a-z]+)( .*)?");
        return parts.stream()
                .filter(Part.Usage.class::isInstance)
                .flatMap(part -> ((Part.Usage) part).lines().stream())
                .map(usage::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .collect(Collectors.joining(" "));
    }

    /** The first sentence. */
    public String summary() {
        return parts.stream()
                .filter(Part.Paragraph.class::isInstance)
                .map(part -> ((Part.Paragraph) part).text())
                .map(HelpPage::firstSentence)
                .findFirst()
                .orElse("");
    }

    /** The part of a text before its first full stop, colon or semicolon. */
    static String firstSentence(String text) {
        String sentence = text.split("[.:;] |\\.$|:$", 2)[0];
        return sentence.replaceFirst("\\.$", "");
    }
}
