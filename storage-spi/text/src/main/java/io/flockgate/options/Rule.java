package io.flockgate.options;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A condition on the value of an option.
 *
 * @param text the rule for readers of the documentation
 * @param violation the problem with a value, to follow the option's name; empty when there is none
 */
public record Rule<T>(String text, Function<T, Optional<String>> violation) {
    /**
     * The maximum number of whole seconds that a signed 64-bit number of nanoseconds can express.
     */
    public static final long MAX_SECONDS = 9_223_372_036L;

    public static <T> Rule<T> any(String text) {
        return new Rule<>(text, value -> Optional.empty());
    }

    public static Rule<Long> atLeast(long least) {
        String text = least == 1 ? "> 0" : ">= " + least;
        return new Rule<>(text, value -> value < least ? Optional.of("must be " + text) : Optional.empty());
    }

    public static Rule<Long> between(long least, long most) {
        String violation = "must be between " + least + " and " + most;
        return new Rule<>(
                least + " to " + most,
                value -> value < least || value > most ? Optional.of(violation) : Optional.empty());
    }

    public static Rule<Long> seconds(long least) {
        Rule<Long> low = atLeast(least);
        return new Rule<>(
                low.text(),
                value -> value > MAX_SECONDS
                        ? Optional.of("must be <= " + MAX_SECONDS)
                        : low.violation().apply(value));
    }

    public static Rule<String> notBlank() {
        return of("not blank", "must not be blank", value -> !value.isBlank());
    }

    public static Rule<String> oneWord() {
        return of("no white space", "must not contain white space or control characters", Rule::isOneWord);
    }

    public static Rule<String> oneOf(String one, String other) {
        String text = one + " or " + other;
        return of(text, "must be " + text, value -> value.equals(one) || value.equals(other));
    }

    public static Rule<List<String>> words() {
        return of(
                "no white space within an entry",
                "must not contain white space or control characters within an entry",
                value -> value.stream().allMatch(Rule::isOneWord));
    }

    public static <T> Rule<T> of(String text, String violation, Predicate<T> holds) {
        return new Rule<>(text, value -> holds.test(value) ? Optional.empty() : Optional.of(violation));
    }

    private static boolean isOneWord(String text) {
        return text.codePoints()
                .noneMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c));
    }
}
