package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.text.Quoting;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The sources of options, in this order: a flag that was given, a variable that is not empty, the
 * default.
 *
 * @param flags text by flag name
 * @param environment text by variable name
 */
record OptionSources(Map<String, String> flags, Map<String, String> environment) {
    /** The part of an address that may hold a password. */
    private static final Pattern LOGIN = Pattern.compile("[^/]*@");

    /**
     * A text and where it was given.
     *
     * @param name the flag with its dashes, or the variable
     */
    record Given(Option<?> option, String name, String text) {}

    /** A value, and its text as the flag would have it. */
    private record Read<T>(String text, T value) {}

    Optional<Given> onCommandLine(Option<?> option) {
        return Optional.ofNullable(flags.get(option.flag())).map(text -> new Given(option, option.dashed(), text));
    }

    Optional<Given> inEnvironment(Option<?> option) {
        return Optional.ofNullable(environment.get(option.variable()))
                .filter(text -> !text.isEmpty())
                .map(text -> new Given(option, option.variable(), text));
    }

    /** The option's value, which satisfies its rule. */
    <T> T get(Option<T> option) {
        return read(option)
                .map(Read::value)
                .or(() -> option.type().parser().apply(option.fallback()))
                .orElseThrow(() -> new AssertionError(option.flag()));
    }

    /**
     * The option's text as the flag would have it, checked; empty where the option is not given.
     */
    Optional<String> text(Option<?> option) {
        return read(option).map(Read::text);
    }

    private <T> Optional<Read<T>> read(Option<T> option) {
        OptionType<T> type = option.type();
        return onCommandLine(option)
                .map(given -> read(option, given, Optional.of(given.text()), type.flagWants()))
                .or(() -> inEnvironment(option)
                        .map(given -> read(option, given, type.asFlag().apply(given.text()), type.variableWants())));
    }

    private static <T> Read<T> read(Option<T> option, Given given, Optional<String> text, String wants) {
        T value = text.flatMap(option.type().parser())
                .orElseThrow(() -> new ConfigException(
                        given.name() + " must be " + wants + " (got " + Quoting.quoted(given.text()) + ")"));
        option.rule().violation().apply(value).ifPresent(violation -> {
            String origin = given.name().equals(option.dashed()) ? "" : " from " + given.name();
            throw new ConfigException(option.dashed() + " " + violation + " (got " + shown(given) + origin + ")");
        });
        return new Read<>(text.orElseThrow(), value);
    }

    private static String shown(Given given) {
        if (OptionType.number("").parser().apply(given.text()).isPresent()) {
            return given.text();
        }
        return Quoting.quoted(LOGIN.matcher(given.text()).replaceFirst("…@"));
    }
}
