package io.flockgate.options;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The values of the options that the operator has set, and the defaults of all others. May contain
 * secrets, but is safe to print.
 *
 * @param texts the texts of flags, by the flags' names without dashes
 */
public record OptionValues(Map<String, String> texts) {
    /** Nothing is set. */
    public static final OptionValues DEFAULTS = new OptionValues(Map.of());

    public OptionValues {
        texts = Map.copyOf(texts);
    }

    /**
     * The value of an option.
     *
     * @throws IllegalArgumentException when its text is not of the option's type; the gateway
     *     refuses such texts beforehand
     */
    public <T> T get(Option<T> option) {
        return option.type()
                .parser()
                .apply(texts.getOrDefault(option.flag(), option.fallback()))
                .orElseThrow(() -> new IllegalArgumentException(
                        option.dashed() + " must be " + option.type().flagWants()));
    }

    /** The text of a flag that no option declares; empty if it is not set. */
    public Optional<String> text(String flag) {
        return Optional.ofNullable(texts.get(flag));
    }

    /** The names without the values, some of which are secrets. */
    @Override
    public String toString() {
        return new TreeSet<>(texts.keySet()).toString();
    }
}
