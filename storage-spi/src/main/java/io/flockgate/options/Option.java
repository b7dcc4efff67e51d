package io.flockgate.options;

import org.jspecify.annotations.Nullable;

/**
 * A value that the operator can set by a flag or by an environment variable. Holds everything that
 * parsing, the help and the documentation need to know of it.
 *
 * @param flag the flag's name without dashes
 * @param variable the environment variable
 * @param type turns the text into a value
 * @param fallback the default, as text of the flag
 * @param shownDefault the default as the help shows it
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

    /**
     * Storages that share an option share the object. A record's own methods would take 10 ms of
     * each start.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return flag.hashCode();
    }

    /** The flag as it is written on the command line. */
    public String dashed() {
        return "--" + flag;
    }

    /** The same option; the help shows this text as its default. */
    public Option<T> showing(String defaultText) {
        return new Option<>(flag, variable, type, fallback, defaultText, rule, help);
    }
}
