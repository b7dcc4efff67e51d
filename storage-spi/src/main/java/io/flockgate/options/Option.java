package io.flockgate.options;

/**
 * A value that the operator can set by a flag or by an environment variable. Holds everything that parsing, the help and the
 * documentation need to know of it.
 *
 * @param flag the flag's name without dashes
 * @param variable the environment variable
 * @param type turns the text into a value
 * @param fallback the default, as text of the flag
 * @param shownDefault the default as people read it
 * @param rule what a given value must fulfil
 * @param help one or two sentences
 */
public record Option<T>(
        String flag,
        String variable,
        OptionType<T> type,
        String fallback,
        String shownDefault,
        Rule<T> rule,
        String help) {

    public static <T> Option<T> of(
            String flag, String variable, OptionType<T> type, String fallback, Rule<T> rule, String help) {
        return new Option<>(flag, variable, type, fallback, fallback.isEmpty() ? "unset" : fallback, rule, help);
    }

    /** The flag as it is written on the command line. */
    public String dashed() {
        return "--" + flag;
    }

    /** The same option, whose default people read as this text. */
    public Option<T> showing(String defaultText) {
        return new Option<>(flag, variable, type, fallback, defaultText, rule, help);
    }
}
