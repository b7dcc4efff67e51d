package io.flockgate.gateway.fleetlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowsTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    private static FleetLockGroup group(String... windows) {
        return new FleetLockGroup(
                "workers",
                1,
                Stream.of(windows)
                        .map(window -> MaintenanceWindow.parse(window).orElseThrow())
                        .toList());
    }

    @Test
    void withoutWindowsAGroupIsAlwaysOpen() {
        assertThat(group().isOpen(Instant.EPOCH)).isTrue();
        assertThat(group().nextOpening(Instant.EPOCH)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # the start is part of a window, and the end is not
            daily/12:00/1h, 2026-03-04T11:59:59.999Z, false
            daily/12:00/1h, 2026-03-04T12:00:00Z, true
            daily/12:00/1h, 2026-03-04T12:59:59.999Z, true
            daily/12:00/1h, 2026-03-04T13:00:00Z, false
            # a window over midnight belongs to the day on which it opens; 2026-03-06 is a Friday
            fri/22:00/4h, 2026-03-06T01:00:00Z, false
            fri/22:00/4h, 2026-03-06T23:00:00Z, true
            fri/22:00/4h, 2026-03-07T01:59:59Z, true
            fri/22:00/4h, 2026-03-07T02:00:00Z, false
            fri/22:00/4h, 2026-03-07T23:00:00Z, false
            # days and times are those of the zone
            sat/00:30/1h/Europe/Berlin, 2026-03-06T23:30:00Z, true
            sat/00:30/1h/Europe/Berlin, 2026-03-07T00:29:59Z, true
            sat/00:30/1h/Europe/Berlin, 2026-03-07T00:30:00Z, false
            daily/00:00/1m/Pacific/Apia, 2026-03-06T11:00:30Z, true
            # 2026-03-29: 02:00 becomes 03:00 in Berlin, at 01:00 UTC; a start between is that much later
            daily/02:30/1h/Europe/Berlin, 2026-03-28T01:30:00Z, true
            daily/02:30/1h/Europe/Berlin, 2026-03-29T01:29:59Z, false
            daily/02:30/1h/Europe/Berlin, 2026-03-29T01:30:00Z, true
            daily/02:30/1h/Europe/Berlin, 2026-03-29T02:29:59Z, true
            daily/02:30/1h/Europe/Berlin, 2026-03-29T02:30:00Z, false
            daily/02:30/1h/Europe/Berlin, 2026-03-30T00:30:00Z, true
            # 2026-10-25: 03:00 becomes 02:00 in Berlin, at 01:00 UTC; of two starts the first counts
            daily/02:30/30m/Europe/Berlin, 2026-10-25T00:30:00Z, true
            daily/02:30/30m/Europe/Berlin, 2026-10-25T01:00:00Z, false
            daily/02:30/30m/Europe/Berlin, 2026-10-25T01:30:00Z, false
            # the length is time that passes, whatever the clocks show
            daily/00:00/4h/Europe/Berlin, 2026-03-29T02:59:59Z, true
            daily/00:00/4h/Europe/Berlin, 2026-03-29T03:00:00Z, false
            daily/00:00/4h/Europe/Berlin, 2026-10-25T01:59:59Z, true
            daily/00:00/4h/Europe/Berlin, 2026-10-25T02:00:00Z, false
            """)
    void aWindowIsOpenFromItsStartForItsLength(String window, Instant time, boolean open) {
        assertThat(group(window).isOpen(time)).isEqualTo(open);
    }

    @Test
    void aWindowOfAWeekIsNeverClosed() {
        for (int hour = 0; hour < 24 * 8; hour++) {
            Instant time = Instant.parse("2026-03-01T00:30:00Z").plus(Duration.ofHours(hour));
            assertThat(group("mon/00:00/168h").isOpen(time)).as(time.toString()).isTrue();
        }
    }

    @Test
    void theNextOpeningIsTheEarliestOfAllWindows() {
        var group = group("sun/10:00/1h", "sat/10:00/1h/Europe/Berlin");
        assertThat(group.nextOpening(Instant.parse("2026-03-06T12:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 7, 10, 0, 0, 0, BERLIN));
        assertThat(group.nextOpening(Instant.parse("2026-03-07T09:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 8, 10, 0, 0, 0, UTC));
        assertThat(group.nextOpening(Instant.parse("2026-03-08T10:00:00Z")))
                .contains(ZonedDateTime.of(2026, 3, 14, 10, 0, 0, 0, BERLIN));
    }

    @Test
    void aWindowIsOpenFromItsNextOpeningOnAndNotBefore() {
        var group = group("tue,sun/02:30/90m/Europe/Berlin");
        Instant time = Instant.parse("2026-03-01T00:00:00Z");
        for (int i = 0; i < 400; i++) {
            Instant opening =
                    group.nextOpening(time).map(ZonedDateTime::toInstant).orElseThrow();
            assertThat(opening).isAfter(time);
            assertThat(group.isOpen(opening)).isTrue();
            assertThat(group.isOpen(opening.minusMillis(1))).isFalse();
            assertThat(group.isOpen(opening.plus(Duration.ofMinutes(90)))).isFalse();
            time = opening;
        }
    }
}
