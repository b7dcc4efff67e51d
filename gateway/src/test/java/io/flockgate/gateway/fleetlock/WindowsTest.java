package io.flockgate.gateway.fleetlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.fleetlock.MaintenanceWindow.Windows;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WindowsTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId APIA = ZoneId.of("Pacific/Apia");

    private static MaintenanceWindow window(Set<DayOfWeek> days, String start, Duration length, ZoneId zone) {
        return new MaintenanceWindow(days, LocalTime.parse(start), length, zone);
    }

    private static MaintenanceWindow daily(String start, Duration length, ZoneId zone) {
        return window(EnumSet.allOf(DayOfWeek.class), start, length, zone);
    }

    private static boolean open(MaintenanceWindow window, String time) {
        return Windows.open(List.of(window), Instant.parse(time));
    }

    private static String next(MaintenanceWindow window, String time) {
        return Windows.nextOpening(List.of(window), Instant.parse(time))
                .map(ZonedDateTime::toInstant)
                .orElseThrow()
                .toString();
    }

    @Test
    void withoutWindowsAGroupIsAlwaysOpen() {
        assertThat(Windows.open(List.of(), Instant.EPOCH)).isTrue();
        assertThat(Windows.nextOpening(List.of(), Instant.EPOCH)).isEmpty();
    }

    @Test
    void theStartIsPartOfAWindowAndTheEndIsNot() {
        MaintenanceWindow window = daily("12:00", Duration.ofHours(1), UTC);

        assertThat(open(window, "2026-03-04T11:59:59.999Z")).isFalse();
        assertThat(open(window, "2026-03-04T12:00:00Z")).isTrue();
        assertThat(open(window, "2026-03-04T12:59:59.999Z")).isTrue();
        assertThat(open(window, "2026-03-04T13:00:00Z")).isFalse();
    }

    @Test
    void aWindowOverMidnightBelongsToTheDayOnWhichItOpens() {
        // 2026-03-06 is a Friday.
        MaintenanceWindow window = window(Set.of(DayOfWeek.FRIDAY), "22:00", Duration.ofHours(4), UTC);

        assertThat(open(window, "2026-03-06T01:00:00Z")).isFalse();
        assertThat(open(window, "2026-03-06T23:00:00Z")).isTrue();
        assertThat(open(window, "2026-03-07T01:59:59Z")).isTrue();
        assertThat(open(window, "2026-03-07T02:00:00Z")).isFalse();
        assertThat(open(window, "2026-03-07T23:00:00Z")).isFalse();
    }

    @Test
    void aWindowOfAWeekIsNeverClosed() {
        MaintenanceWindow window = window(Set.of(DayOfWeek.MONDAY), "00:00", Duration.ofDays(7), UTC);

        for (int hour = 0; hour < 24 * 8; hour++) {
            Instant time = Instant.parse("2026-03-01T00:30:00Z").plus(Duration.ofHours(hour));
            assertThat(Windows.open(List.of(window), time)).as(time.toString()).isTrue();
        }
    }

    @Test
    void daysAndTimesAreThoseOfTheZone() {
        MaintenanceWindow window = window(Set.of(DayOfWeek.SATURDAY), "00:30", Duration.ofHours(1), BERLIN);

        assertThat(open(window, "2026-03-06T23:30:00Z")).isTrue();
        assertThat(open(window, "2026-03-07T00:29:59Z")).isTrue();
        assertThat(open(window, "2026-03-07T00:30:00Z")).isFalse();
        assertThat(next(window, "2026-03-07T00:30:00Z")).isEqualTo("2026-03-13T23:30:00Z");
        assertThat(open(daily("00:00", Duration.ofMinutes(1), APIA), "2026-03-06T11:00:30Z"))
                .isTrue();
    }

    @Test
    void aStartThatTheClocksLeapOverIsThatMuchLater() {
        // 2026-03-29: 02:00 becomes 03:00 in Berlin, at 01:00 UTC.
        MaintenanceWindow window = daily("02:30", Duration.ofHours(1), BERLIN);

        assertThat(open(window, "2026-03-28T01:30:00Z")).isTrue();
        assertThat(open(window, "2026-03-29T01:29:59Z")).isFalse();
        assertThat(open(window, "2026-03-29T01:30:00Z")).isTrue();
        assertThat(open(window, "2026-03-29T02:29:59Z")).isTrue();
        assertThat(open(window, "2026-03-29T02:30:00Z")).isFalse();
        assertThat(open(window, "2026-03-30T00:30:00Z")).isTrue();
    }

    @Test
    void aStartThatTheClocksShowTwiceIsTheFirst() {
        // 2026-10-25: 03:00 becomes 02:00 in Berlin, at 01:00 UTC.
        MaintenanceWindow window = daily("02:30", Duration.ofMinutes(30), BERLIN);

        assertThat(open(window, "2026-10-25T00:30:00Z")).isTrue();
        assertThat(open(window, "2026-10-25T01:00:00Z")).isFalse();
        assertThat(open(window, "2026-10-25T01:30:00Z")).isFalse();
    }

    @Test
    void lengthIsTimeThatPassesAlsoWhereClocksAreChanged() {
        MaintenanceWindow window = daily("00:00", Duration.ofHours(4), BERLIN);

        assertThat(open(window, "2026-03-29T02:59:59Z")).isTrue();
        assertThat(open(window, "2026-03-29T03:00:00Z")).isFalse();
        assertThat(open(window, "2026-10-25T01:59:59Z")).isTrue();
        assertThat(open(window, "2026-10-25T02:00:00Z")).isFalse();
    }

    @Test
    void theNextOpeningIsTheEarliestOfAllWindows() {
        var windows = List.of(
                window(Set.of(DayOfWeek.SUNDAY), "10:00", Duration.ofHours(1), UTC),
                window(Set.of(DayOfWeek.SATURDAY), "10:00", Duration.ofHours(1), BERLIN));

        assertThat(Windows.nextOpening(windows, Instant.parse("2026-03-06T12:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 7, 10, 0, 0, 0, BERLIN));
        assertThat(Windows.nextOpening(windows, Instant.parse("2026-03-07T09:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 8, 10, 0, 0, 0, UTC));
        assertThat(Windows.nextOpening(windows, Instant.parse("2026-03-08T10:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 14, 10, 0, 0, 0, BERLIN));
    }

    @Test
    void aWindowIsOpenFromItsNextOpeningOnAndNotBefore() {
        var window = window(Set.of(DayOfWeek.TUESDAY, DayOfWeek.SUNDAY), "02:30", Duration.ofMinutes(90), BERLIN);
        var windows = List.of(window);
        Instant time = Instant.parse("2026-03-01T00:00:00Z");
        for (int i = 0; i < 400; i++) {
            Instant opening = Windows.nextOpening(windows, time)
                    .map(ZonedDateTime::toInstant)
                    .orElseThrow();
            assertThat(opening).isAfter(time);
            assertThat(Windows.open(windows, opening)).isTrue();
            assertThat(Windows.open(windows, opening.minusMillis(1))).isFalse();
            assertThat(Windows.open(windows, opening.plus(window.length()))).isFalse();
            time = opening;
        }
    }
}
