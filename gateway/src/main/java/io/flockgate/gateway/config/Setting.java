package io.flockgate.gateway.config;

/**
 * One row of the table of settings: everything that parsing, the help and the documentation need to know of it.
 *
 * @param flag the flag's name without dashes
 * @param variable the environment variable
 * @param kind how the text is read
 * @param fallback the default, as text of the flag
 * @param shownDefault the default as people read it
 * @param rule what a given value must fulfil
 * @param group where it is listed
 * @param help one or two sentences
 */
record Setting<T>(
        String flag,
        String variable,
        Kind<T> kind,
        String fallback,
        String shownDefault,
        Rule<T> rule,
        Group group,
        String help) {

    static <T> Setting<T> of(
            String flag, String variable, Kind<T> kind, String fallback, Rule<T> rule, Group group, String help) {
        return new Setting<>(
                flag, variable, kind, fallback, fallback.isEmpty() ? "unset" : fallback, rule, group, help);
    }

    /** The flag as it is written on the command line. */
    String dashed() {
        return "--" + flag;
    }

    Setting<T> showing(String defaultText) {
        return new Setting<>(flag, variable, kind, fallback, defaultText, rule, group, help);
    }
}
