package io.flockgate.gateway.fleetlock;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A time of the week in which a group's slots are granted (protocol-docs/fleetlock.md, "Maintenance
 * windows"). The window opens when the clocks of its zone show its start. It stays open for its
 * length, even if the clocks change in the meantime. If the clocks skip the start, the window opens
 * that much later. If they show the start twice, it opens the first time. Pure.
 *
 * @param days the days on which it opens; at least one
 * @param start when it opens, by the zone's clocks
 * @param length how long it stays open, in elapsed time; up to a week
 */
public record MaintenanceWindow(Set<DayOfWeek> days, LocalTime start, Duration length, ZoneId zone) {
    private static final List<String> DAY_NAMES = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
    private static final Pattern START = Pattern.compile("([01][0-9]|2[0-3]):([0-5][0-9])");
    private static final Pattern LENGTH = Pattern.compile("([0-9]{1,5})([mh])");
    private static final long WEEK_MINUTES = Duration.ofDays(7).toMinutes();

    /**
     * The days to search: a window is open for at most a week and opens at least once a week; zones
     * require one more day.
     */
    private static final long DAYS = 8;

    public MaintenanceWindow {
        days = Set.copyOf(days);
    }

    /**
     * Parses {@code days/start/length} with an optional {@code /zone}; empty if it is malformed.
     */
    public static Optional<MaintenanceWindow> parse(String text) {
        String[] parts = text.split("/", 4);
        if (parts.length < 3) {
            return Optional.empty();
        }
        Optional<ZoneId> zone = zone(parts.length == 4 ? parts[3] : "UTC");
        return days(parts[0])
                .flatMap(days -> start(parts[1])
                        .flatMap(start -> length(parts[2])
                                .flatMap(length ->
                                        zone.map(where -> new MaintenanceWindow(days, start, length, where)))));
    }

    private static Optional<Set<DayOfWeek>> days(String text) {
        if (text.equalsIgnoreCase("daily")) {
            return Optional.of(EnumSet.allOf(DayOfWeek.class));
        }
        Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        for (String part : text.split(",", -1)) {
            String[] ends = part.split("-", 2);
            Optional<DayOfWeek> first = day(ends[0]);
            Optional<DayOfWeek> last = day(ends[ends.length - 1]);
            if (first.isEmpty() || last.isEmpty()) {
                return Optional.empty();
            }
            addRange(first.get(), last.get(), days);
        }
        return Optional.of(days);
    }

    /** A range may cross the end of the week. */
    private static void addRange(DayOfWeek first, DayOfWeek last, Set<DayOfWeek> days) {
        DayOfWeek day = first;
        days.add(day);
        while (day != last) {
            day = day.plus(1);
            days.add(day);
        }
    }

    private static Optional<DayOfWeek> day(String text) {
        int at = DAY_NAMES.indexOf(text.toLowerCase(Locale.ROOT));
        return at < 0 ? Optional.empty() : Optional.of(DayOfWeek.of(at + 1));
    }

    private static Optional<LocalTime> start(String text) {
        return START.matcher(text).matches() ? Optional.of(LocalTime.parse(text)) : Optional.empty();
    }

    private static Optional<Duration> length(String text) {
        Matcher matcher = LENGTH.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long minutes = Long.parseLong(matcher.group(1)) * (matcher.group(2).equals("h") ? 60 : 1);
        return minutes >= 1 && minutes <= WEEK_MINUTES ? Optional.of(Duration.ofMinutes(minutes)) : Optional.empty();
    }

    private static Optional<ZoneId> zone(String text) {
        try {
            return Optional.of(ZoneId.of(text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Whether the window is open now. */
    boolean isOpen(Instant now) {
        return starts(now, -DAYS, 1).anyMatch(start -> !start.isAfter(now) && now.isBefore(start.plus(length)));
    }

    /** The next times at which the window opens. */
    Stream<ZonedDateTime> openings(Instant now) {
        return starts(now, -1, DAYS).filter(start -> start.isAfter(now)).map(start -> start.atZone(zone));
    }

    /** The openings on the days around now. */
    private Stream<Instant> starts(Instant now, long fromDay, long toDay) {
        LocalDate today = now.atZone(zone).toLocalDate();
        return LongStream.rangeClosed(fromDay, toDay)
                .mapToObj(today::plusDays)
                .filter(day -> days.contains(day.getDayOfWeek()))
                .map(day -> ZonedDateTime.of(day, start, zone).toInstant());
    }
}
