package io.flockgate.gateway.config;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a setting's value must fulfil, and how that is said.
 *
 * @param text the rule for readers of the help and the documentation
 * @param complaint what is wrong with a value, to follow the setting's name; empty when nothing is
 */
record Rule<T>(String text, Function<T, Optional<String>> complaint) {
    /** The most whole seconds that fit a signed 64-bit count of nanoseconds. */
    static final long MAX_SECONDS = 9_223_372_036L;

    static <T> Rule<T> any(String text) {
        return new Rule<>(text, value -> Optional.empty());
    }

    static Rule<Long> atLeast(long least) {
        String text = least == 1 ? "> 0" : ">= " + least;
        return new Rule<>(text, value -> value < least ? Optional.of("must be " + text) : Optional.empty());
    }

    static Rule<Long> between(long least, long most) {
        String complaint = "must be between " + least + " and " + most;
        return new Rule<>(
                least + " to " + most,
                value -> value < least || value > most ? Optional.of(complaint) : Optional.empty());
    }

    static Rule<Long> seconds(long least) {
        Rule<Long> low = atLeast(least);
        return new Rule<>(
                low.text(),
                value -> value > MAX_SECONDS
                        ? Optional.of("must be <= " + MAX_SECONDS)
                        : low.complaint().apply(value));
    }

    static Rule<String> notBlank() {
        return of("not blank", "must not be blank", value -> !value.isBlank());
    }

    static Rule<String> oneWord() {
        return of("no white space", "must not contain white space or control characters", Rule::isOneWord);
    }

    static Rule<String> oneOf(String one, String other) {
        String text = one + " or " + other;
        return of(text, "must be " + text, value -> value.equals(one) || value.equals(other));
    }

    static Rule<List<String>> words() {
        return of(
                "no white space within an entry",
                "must not contain white space or control characters within an entry",
                value -> value.stream().allMatch(Rule::isOneWord));
    }

    static <T> Rule<T> of(String text, String complaint, Predicate<T> holds) {
        return new Rule<>(text, value -> holds.test(value) ? Optional.empty() : Optional.of(complaint));
    }

    private static boolean isOneWord(String text) {
        return text.codePoints()
                .noneMatch(c -> Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c));
    }
}
