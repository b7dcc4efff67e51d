package io.flockgate.gateway.config;

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

/**
 * How a setting's text is read.
 *
 * @param placeholder stands for the value in the help; empty for a switch, which needs none
 * @param isRepeatable whether a flag given several times counts each time; its texts then come as lines of one
 * @param flag reads what the command line gives; empty for text that does not fit
 * @param flagWants what fits on the command line, to follow "must be"
 * @param variable reads what the environment gives
 * @param variableWants what fits in the environment, to follow "must be"
 */
record Kind<T>(
        String placeholder,
        boolean isRepeatable,
        Function<String, Optional<T>> flag,
        String flagWants,
        Function<String, Optional<T>> variable,
        String variableWants) {

    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]+");
    private static final List<String> FLAG_TRUE = List.of("1", "t", "T", "true", "TRUE", "True");
    private static final List<String> FLAG_FALSE = List.of("0", "f", "F", "false", "FALSE", "False");
    private static final List<String> VARIABLE_TRUE = List.of("1", "yes", "true");
    private static final List<String> VARIABLE_FALSE = List.of("0", "no", "false");

    /** The white space that no key has in it. */
    static final String ENTRY_ENDS = " \t\n\r";

    static final Kind<Boolean> SWITCH = new Kind<>(
            "",
            false,
            text -> choose(text, FLAG_TRUE, FLAG_FALSE),
            "true or false",
            text -> choose(text.toLowerCase(Locale.ROOT), VARIABLE_TRUE, VARIABLE_FALSE),
            "one of 1, yes, true, 0, no, false");
    static final Kind<Optional<Path>> FILE = alike("file", "a path", Kind::path);
    /** Parts between commas, trimmed; empty parts are left out. */
    static final Kind<List<String>> LIST = alike("list", "a list", Kind::parts);

    /** Entries as they stand: one a flag, in a variable parted by white space. */
    static Kind<List<String>> entries(String placeholder) {
        return new Kind<>(
                placeholder,
                true,
                text -> Optional.of(split(text, "\n")),
                "entries",
                text -> Optional.of(split(text, ENTRY_ENDS)),
                "entries");
    }

    static Kind<Long> number(String placeholder) {
        return alike(placeholder, "an integer", Kind::decimal);
    }

    static Kind<String> text(String placeholder) {
        return alike(placeholder, "text", Optional::of);
    }

    boolean isSwitch() {
        return placeholder.isEmpty();
    }

    private static <T> Kind<T> alike(String placeholder, String wants, Function<String, Optional<T>> reader) {
        return new Kind<>(placeholder, false, reader, wants, reader, wants);
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

    /** What stands between any of these characters; nothing is left out but what is empty. */
    private static List<String> split(String text, String ends) {
        return Collections.list(new StringTokenizer(text, ends)).stream()
                .map(String::valueOf)
                .toList();
    }

    private static Optional<List<String>> parts(String text) {
        return Optional.of(Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .toList());
    }
}
