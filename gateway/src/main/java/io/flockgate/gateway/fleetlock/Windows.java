package io.flockgate.gateway.fleetlock;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The times at which a group grants slots (protocol-docs/fleetlock.md, "Maintenance windows"). A
 * window opens when the clocks of its zone show its start. It stays open for its length, even if
 * the clocks change in the meantime. If the clocks skip the start, the window opens that much
 * later. If they show the start twice, it opens the first time. Pure.
 */
public final class Windows {
    /**
     * The days to search: a window is open for at most a week and opens at least once a week; zones
     * require one more day.
     */
    private static final long DAYS = 8;

    private Windows() {}

    /** Whether a group with these windows grants slots now. A group without windows always does. */
    public static boolean open(List<MaintenanceWindow> windows, Instant now) {
        return windows.isEmpty() || windows.stream().anyMatch(window -> isOpen(window, now));
    }

    private static boolean isOpen(MaintenanceWindow window, Instant now) {
        return starts(window, now, -DAYS, 1)
                .anyMatch(start -> !start.isAfter(now) && now.isBefore(start.plus(window.length())));
    }

    /** The time at which the next window opens; empty if there are none. */
    public static Optional<ZonedDateTime> nextOpening(List<MaintenanceWindow> windows, Instant now) {
        return windows.stream()
                .flatMap(window -> starts(window, now, -1, DAYS)
                        .filter(start -> start.isAfter(now))
                        .map(start -> start.atZone(window.zone())))
                .min((one, other) -> one.toInstant().compareTo(other.toInstant()));
    }

    /** The openings on the days around now. */
    private static Stream<Instant> starts(MaintenanceWindow window, Instant now, long fromDay, long toDay) {
        LocalDate today = now.atZone(window.zone()).toLocalDate();
        return LongStream.rangeClosed(fromDay, toDay)
                .mapToObj(today::plusDays)
                .filter(day -> window.days().contains(day.getDayOfWeek()))
                .map(day -> ZonedDateTime.of(day, window.start(), window.zone()).toInstant());
    }
}
