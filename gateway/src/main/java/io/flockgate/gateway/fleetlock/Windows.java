package io.flockgate.gateway.fleetlock;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * When a group gives out slots (FleetLock, "Maintenance windows"). A window opens at its start by its zone's clocks and stays
 * open for its length of time that passes, also where clocks are changed meanwhile: a start that the clocks leap over is
 * that much later, one that they show twice is the first. Pure.
 */
public final class Windows {
    /** No window is longer than a week, and each opens at least once a week; a day more for the zones. */
    private static final long DAYS = 8;

    private Windows() {}

    /** Whether a group with these windows gives out slots; always without any. */
    public static boolean open(List<MaintenanceWindow> windows, Instant now) {
        return windows.isEmpty() || windows.stream().anyMatch(window -> isOpen(window, now));
    }

    private static boolean isOpen(MaintenanceWindow window, Instant now) {
        return starts(window, now, -DAYS, 1)
                .anyMatch(start -> !start.isAfter(now) && now.isBefore(start.plus(window.length())));
    }

    /** When the next one opens; empty without any. */
    public static Optional<ZonedDateTime> nextOpening(List<MaintenanceWindow> windows, Instant now) {
        return windows.stream()
                .flatMap(window -> starts(window, now, -1, DAYS)
                        .filter(start -> start.isAfter(now))
                        .map(start -> start.atZone(window.zone())))
                .min((one, other) -> one.toInstant().compareTo(other.toInstant()));
    }

    /** All openings on the days around now. */
    private static Stream<Instant> starts(MaintenanceWindow window, Instant now, long fromDay, long toDay) {
        LocalDate today = now.atZone(window.zone()).toLocalDate();
        return LongStream.rangeClosed(fromDay, toDay)
                .mapToObj(today::plusDays)
                .filter(day -> window.days().contains(day.getDayOfWeek()))
                .map(day -> ZonedDateTime.of(day, window.start(), window.zone()).toInstant());
    }
}
