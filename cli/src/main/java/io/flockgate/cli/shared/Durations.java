package io.flockgate.cli.shared;

import io.flockgate.options.OptionType;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times on the command line: {@code 30s}, {@code 1.5m}, {@code 200ms}; a bare number is seconds.
 */
public final class Durations {
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(?:\\.(\\d{1,9}))?(ms|s|m|h|)");
    private static final Duration LONGEST_LEASE = Duration.ofHours(24);

    /** The time of a lease, which gateways count in seconds: from one to those of a day. */
    public static final OptionType<Duration> LEASE = OptionType.alike(
            "time",
            "whole seconds from 1s to 24h, like 30s, 5m or 1h",
            text -> read(text).filter(time -> isLease(time) && time.compareTo(LONGEST_LEASE) <= 0));

    private Durations() {}

    /** Any time; empty for text that is none. */
    public static Optional<Duration> read(String text) {
        Matcher time = TIME.matcher(text);
        if (!time.matches()) {
            return Optional.empty();
        }
        long millis = switch (time.group(3)) {
            case "ms" -> 1L;
            case "m" -> 60_000L;
            case "h" -> 3_600_000L;
            default -> 1_000L;
        };
        String fraction = time.group(2) == null ? "" : time.group(2);
        long billionths = Long.parseLong((fraction + "000000000").substring(0, 9));
        return Optional.of(
                Duration.ofMillis(Long.parseLong(time.group(1)) * millis).plusNanos(billionths * millis / 1_000));
    }

    /** Whether a gateway can count the time of a lease. */
    public static boolean isLease(Duration time) {
        return time.isPositive() && time.toNanosPart() == 0;
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
