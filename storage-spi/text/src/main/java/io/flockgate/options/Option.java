package io.flockgate.options;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A value that the operator can set by a flag or by an environment variable. Contains everything
 * that parsing, the help and the documentation need to know about it.
 *
 * @param flag the flag's name without dashes
 * @param variable empty for none
 * @param type turns the text into a value
 * @param fallback the default, as text of the flag
 * @param shownDefault the default as the help shows it; empty if that is no news
 * @param rule the condition that a given value must meet
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

    /** An option without help yet. */
    public static <T> Option<T> of(String flag, String variable, OptionType<T> type, String fallback, Rule<T> rule) {
        String unset = variable.isEmpty() ? "" : "unset";
        return new Option<>(flag, variable, type, fallback, fallback.isEmpty() ? unset : fallback, rule, "");
    }

    /** An option without a variable, without a rule and without help yet. */
    public static <T> Option<T> flag(String flag, OptionType<T> type, String fallback) {
        return of(flag, "", type, fallback, Rule.any(""));
    }

    /** An option without a variable, for any text, and without help yet. */
    public static Option<String> text(String flag, String placeholder) {
        return flag(flag, OptionType.text(placeholder), "");
    }

    /** A switch that is off unless its flag is given. */
    public static Option<Boolean> off(String flag) {
        return flag(flag, OptionType.SWITCH, "false").showing("");
    }

    /** A switch with a variable, and without help yet. */
    public static Option<Boolean> onOff(String flag, String variable, String fallback) {
        return of(flag, variable, OptionType.SWITCH, fallback, Rule.any("true or false"));
    }

    /**
     * Storages that share an option share the object. A record's generated methods would add 10 ms
     * to each start.
     */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return flag.hashCode();
    }

    /** The flag as written on the command line. */
    public String dashed() {
        return "--" + flag;
    }

    /** The same option, with this help. */
    public Option<T> help(String sentences) {
        return new Option<>(flag, variable, type, fallback, shownDefault, rule, sentences);
    }

    /** The same option, with this text shown as its default in the help. */
    public Option<T> showing(String defaultText) {
        return new Option<>(flag, variable, type, fallback, defaultText, rule, help);
    }

    /**
     * A secret that comes from one of two options: one contains the secret itself, the other names
     * a file. A flag takes precedence over both variables. No message shows the secret.
     *
     * @param text the option that is the secret; its rule applies to the file too
     * @param file the option that names the file. It must contain a secret at start-up already; a
     *     storage reads it again later
     */
    public record Secret(Option<String> text, Option<Optional<Path>> file) {}
}
