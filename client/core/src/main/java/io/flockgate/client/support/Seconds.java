package io.flockgate.client.support;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Durations in words. Pure. */
public final class Seconds {
    private Seconds() {}

    /**
     * {@code within 5 s}, for the time that an answer had; {@code in time} if that was less than a
     * millisecond, the rest of a longer time.
     */
    public static String within(Duration time) {
        return time.compareTo(Duration.ofMillis(1)) < 0 ? "in time" : "within " + of(time);
    }

    /**
     * The duration in seconds with its unit, such as {@code 5 s} or {@code 0.25 s}; rounded to
     * milliseconds from one millisecond on.
     */
    public static String of(Duration time) {
        BigDecimal seconds = BigDecimal.valueOf(time.toSeconds()).add(BigDecimal.valueOf(time.toNanosPart(), 9));
        boolean tiny = time.abs().compareTo(Duration.ofMillis(1)) < 0;
        BigDecimal shown = tiny ? seconds : seconds.setScale(3, RoundingMode.HALF_UP);
        return shown.signum() == 0 ? "0 s" : shown.stripTrailingZeros().toPlainString() + " s";
    }
}
