package io.flockgate.client;

import io.flockgate.client.support.Seconds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Checks of arguments. Those of values throw a {@link LeaseConfigException} with the argument's
 * name and value.
 */
final class Checks {
    private Checks() {}

    /**
     * The value, which callers without null checks may have left out.
     *
     * @throws NullPointerException with the argument's name
     */
    static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw new NullPointerException(what + " must not be null");
        }
        return value;
    }

    static void that(boolean condition, String otherwise) {
        if (!condition) {
            throw new LeaseConfigException(otherwise);
        }
    }

    /** Printable ASCII without blanks: what every back end accepts unchanged. */
    static void name(String what, String value, int maxLength) {
        given(what, value);
        that(!value.isEmpty(), "the " + what + " is empty");
        that(
                value.length() <= maxLength,
                "the " + what + " has " + value.length() + " characters; the maximum is " + maxLength);
        boolean printable = value.chars().allMatch(c -> c > ' ' && c < 0x7f);
        that(printable, "the " + what + " may only have printable ASCII characters without blanks");
    }

    static Duration positive(String what, Duration value) {
        return within(what, value, Duration.ofNanos(1), LeaseOptions.MAX_TTL);
    }

    static Duration within(String what, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new LeaseConfigException(what + " must be from " + Seconds.of(least) + " to " + Seconds.of(most)
                    + ", and is " + Seconds.of(value));
        }
        return value;
    }
}
