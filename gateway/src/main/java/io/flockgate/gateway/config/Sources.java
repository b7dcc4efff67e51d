package io.flockgate.gateway.config;

import io.flockgate.gateway.log.Quoting;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Where settings come from: a flag that was given, else a variable that is not empty, else the default.
 *
 * @param flags text by flag name
 * @param environment text by variable name
 */
record Sources(Map<String, String> flags, Map<String, String> environment) {
    /** What may be a password, in a text that may be an address. */
    private static final Pattern LOGIN = Pattern.compile("[^/]*@");

    /**
     * A text and where it was given.
     *
     * @param name the flag with its dashes, or the variable
     */
    record Given(String name, String text) {}

    Optional<Given> onCommandLine(Setting<?> setting) {
        return Optional.ofNullable(flags.get(setting.flag())).map(text -> new Given(setting.dashed(), text));
    }

    Optional<Given> inEnvironment(Setting<?> setting) {
        return Optional.ofNullable(environment.get(setting.variable()))
                .filter(text -> !text.isEmpty())
                .map(text -> new Given(setting.variable(), text));
    }

    /** The setting's value, which fulfils the setting's rule. */
    <T> T get(Setting<T> setting) {
        Kind<T> kind = setting.kind();
        Optional<Given> flag = onCommandLine(setting);
        if (flag.isPresent()) {
            return checked(setting, flag.get(), read(flag.get(), kind.flag(), kind.flagWants()));
        }
        Optional<Given> variable = inEnvironment(setting);
        if (variable.isPresent()) {
            return checked(setting, variable.get(), read(variable.get(), kind.variable(), kind.variableWants()));
        }
        return kind.flag().apply(setting.fallback()).orElseThrow(() -> new AssertionError(setting.flag()));
    }

    private static <T> T read(Given given, Function<String, Optional<T>> reader, String wants) {
        return reader.apply(given.text())
                .orElseThrow(() -> new ConfigException(
                        given.name() + " must be " + wants + " (got " + Quoting.quoted(given.text()) + ")"));
    }

    private static <T> T checked(Setting<T> setting, Given given, T value) {
        setting.rule().complaint().apply(value).ifPresent(complaint -> {
            String origin = given.name().equals(setting.dashed()) ? "" : " from " + given.name();
            throw new ConfigException(setting.dashed() + " " + complaint + " (got " + shown(given) + origin + ")");
        });
        return value;
    }

    private static String shown(Given given) {
        if (Kind.number("").flag().apply(given.text()).isPresent()) {
            return given.text();
        }
        return Quoting.quoted(LOGIN.matcher(given.text()).replaceFirst("…@"));
    }
}
