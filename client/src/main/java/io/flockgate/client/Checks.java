package io.flockgate.client;

import java.time.Duration;

/** Checks of arguments. All throw {@link LeaseConfigException} with the argument's name and value. */
final class Checks {
    private Checks() {}

    static void that(boolean condition, String otherwise) {
        if (!condition) {
            throw new LeaseConfigException(otherwise);
        }
    }

    /** Printable ASCII without blanks: what every back end can take, unchanged. */
    static void name(String what, String value, int maxLength) {
        that(!value.isEmpty(), "the " + what + " is empty");
        that(
                value.length() <= maxLength,
                "the " + what + " has " + value.length() + " characters; the most is " + maxLength);
        boolean printable = value.chars().allMatch(c -> c > ' ' && c < 0x7f);
        that(printable, "the " + what + " may only have printable ASCII characters without blanks");
    }

    static Duration positive(String what, Duration value) {
        return within(what, value, Duration.ofNanos(1), LeaseTiming.MAX_TTL);
    }

    static Duration within(String what, Duration value, Duration least, Duration most) {
        boolean inside = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
        that(inside, what + " must be from " + least + " to " + most + ", and is " + value);
        return value;
    }
}
