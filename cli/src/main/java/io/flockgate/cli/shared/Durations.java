package io.flockgate.cli.shared;

import io.flockgate.text.Quoting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times on the command line: {@code 30s}, {@code 1.5m}, {@code 200ms}; a bare number is seconds.
 */
public final class Durations {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ms|s|m|h|)");

    private Durations() {}

    /**
     * Reads a time.
     *
     * @throws CommandException if the text is not a time; the message names the option
     */
    public static Duration of(String option, String text) {
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            throw CommandException.usage(
                    option + " must be a time like 30s, 5m, 1h, 500ms or 0 (got " + Quoting.quoted(text) + ")");
        }
        long millis = switch (time.group(2)) {
            case "ms" -> 1L;
            case "m" -> 60_000L;
            case "h" -> 3_600_000L;
            default -> 1_000L;
        };
        BigDecimal nanos = new BigDecimal(time.group(1)).multiply(BigDecimal.valueOf(millis * 1_000_000));
        try {
            return Duration.ofNanos(nanos.longValue());
        } catch (ArithmeticException e) {
            throw CommandException.usage(option + " is too long (got " + Quoting.quoted(text) + ")");
        }
    }

    /** A time for people: {@code 3m}, {@code 1h5m}, {@code 12s}. */
    public static String shown(Duration time) {
        long seconds = Math.max(0, time.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m" + (seconds < 600 && seconds % 60 != 0 ? seconds % 60 + "s" : "");
        }
        return seconds / 3600 + "h" + (seconds % 3600 / 60) + "m";
    }
}
