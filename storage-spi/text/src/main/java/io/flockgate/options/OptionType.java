package io.flockgate.options;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringTokenizer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The syntax of an option's value.
 *
 * @param placeholder stands for the value in the help; empty for a switch, which needs none
 * @param isRepeatable whether a flag given several times counts each time; its texts are then
 *     passed as lines of one text
 * @param parser reads the text of the flag; empty for text that does not fit
 * @param flagWants what fits on the command line, to follow "must be"
 * @param asFlag turns the text of the variable into that of the flag; empty for text that does not
 *     fit
 * @param variableWants what fits in the environment, to follow "must be"
 */
public record OptionType<T>(
        String placeholder,
        boolean isRepeatable,
        Function<String, Optional<T>> parser,
        String flagWants,
        Function<String, Optional<String>> asFlag,
        String variableWants) {

    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]+");
    private static final List<String> FLAG_TRUE = List.of("1", "t", "T", "true", "TRUE", "True");
    private static final List<String> FLAG_FALSE = List.of("0", "f", "F", "false", "FALSE", "False");
    private static final List<String> VARIABLE_TRUE = List.of("1", "yes", "true");
    private static final List<String> VARIABLE_FALSE = List.of("0", "no", "false");

    /** The white space that ends an entry in a variable. No key contains it. */
    public static final String ENTRY_ENDS = " \t\n\r";

    public static final OptionType<Boolean> SWITCH = new OptionType<>(
            "",
            false,
            text -> choose(text, FLAG_TRUE, FLAG_FALSE),
            "true or false",
            text -> choose(text.toLowerCase(Locale.ROOT), VARIABLE_TRUE, VARIABLE_FALSE)
                    .map(String::valueOf),
            "one of 1, yes, true, 0, no, false");
    public static final OptionType<Optional<Path>> FILE = alike("file", "a path", OptionType::path);
    /** Texts between commas. */
    public static final OptionType<List<String>> LIST = list("a list", Optional::of);

    /**
     * Parts between commas, trimmed; empty parts are left out.
     *
     * @param wants what fits, to follow "must be"
     * @param parser reads a part; empty for text that does not fit
     */
    public static <T> OptionType<List<T>> list(String wants, Function<String, Optional<T>> parser) {
        return alike(
                "list", wants, text -> all(Arrays.stream(text.split(",", -1)).map(String::strip), parser));
    }

    /** Entries of any text. */
    public static OptionType<List<String>> entries(String placeholder) {
        return entries(placeholder, "entries", Optional::of);
    }

    /**
     * Entries: a flag has one, and a variable has several, separated by white space.
     *
     * @param wants what fits, to follow "must be"
     * @param parser reads an entry; empty for text that does not fit
     */
    public static <T> OptionType<List<T>> entries(
            String placeholder, String wants, Function<String, Optional<T>> parser) {
        return new OptionType<>(
                placeholder,
                true,
                text -> all(split(text, "\n"), parser),
                wants,
                text -> Optional.of(split(text, ENTRY_ENDS).collect(Collectors.joining("\n"))),
                wants);
    }

    public static OptionType<Long> number(String placeholder) {
        return alike(placeholder, "an integer", OptionType::decimal);
    }

    public static OptionType<String> text(String placeholder) {
        return alike(placeholder, "text", Optional::of);
    }

    public boolean isSwitch() {
        return placeholder.isEmpty();
    }

    /**
     * A type whose texts are the same on the command line and in the environment.
     *
     * @param wants what fits, to follow "must be"
     */
    public static <T> OptionType<T> alike(String placeholder, String wants, Function<String, Optional<T>> parser) {
        return new OptionType<>(placeholder, false, parser, wants, Optional::of, wants);
    }

    private static Optional<Boolean> choose(String text, List<String> yes, List<String> no) {
        if (yes.contains(text)) {
            return Optional.of(true);
        }
        return no.contains(text) ? Optional.of(false) : Optional.empty();
    }

    /** ASCII digits only, unlike {@link Long#parseLong}, and within 64 bits. */
    private static Optional<Long> decimal(String text) {
        try {
            return DECIMAL.matcher(text).matches() ? Optional.of(Long.parseLong(text)) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Optional<Path>> path(String text) {
        try {
            return Optional.of(text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text)));
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** The non-empty texts between any of these characters. */
    private static Stream<String> split(String text, String ends) {
        return Collections.list(new StringTokenizer(text, ends)).stream().map(String::valueOf);
    }

    /** The values of the texts that are not empty; empty if one does not fit. */
    private static <T> Optional<List<T>> all(Stream<String> texts, Function<String, Optional<T>> parser) {
        List<Optional<T>> read =
                texts.filter(text -> !text.isEmpty()).map(parser).toList();
        return read.stream().anyMatch(Optional::isEmpty)
                ? Optional.empty()
                : Optional.of(read.stream().flatMap(Optional::stream).toList());
    }
}
