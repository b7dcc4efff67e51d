package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.fleetlock.FleetLockConfig;
import io.flockgate.gateway.fleetlock.FleetLockConfig.FleetLockGroup;
import io.flockgate.gateway.fleetlock.MaintenanceWindow;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FleetLockConfigTest {
    private static FleetLockConfig served(String... flags) {
        return Reading.PLAIN
                .served(with("--http-port=8080", with("--fleetlock-volatile", flags)))
                .fleetLock()
                .orElseThrow();
    }

    private static String refused(String... flags) {
        return Reading.PLAIN.refused(with("--http-port=8080", with("--fleetlock-volatile", flags)));
    }

    private static String[] with(String first, String... rest) {
        String[] all = new String[rest.length + 1];
        all[0] = first;
        System.arraycopy(rest, 0, all, 1, rest.length);
        return all;
    }

    private static FleetLockGroup group(String name, long slots, MaintenanceWindow... windows) {
        return new FleetLockGroup(name, slots, List.of(windows));
    }

    @Test
    void isOffWithoutGroups() {
        assertThat(Reading.PLAIN.served("--http-port=8080").fleetLock()).isEmpty();
        assertThat(Reading.PLAIN
                        .served("--http-port=8080", "--fleetlock-groups=")
                        .fleetLock())
                .isEmpty();
    }

    @Test
    void groupsAreListedByNameAndHaveOneSlotUnlessTheySayHowMany() {
        assertThat(served("--fleetlock-groups=workers=2, default, Workers=1000").groups())
                .containsExactly(group("Workers", 1000), group("default", 1), group("workers", 2));
    }

    @Test
    void everythingElseHasADefault() {
        FleetLockConfig config = served("--fleetlock-groups=default");

        assertThat(config).isEqualTo(new FleetLockConfig(List.of(group("default", 1)), "", Duration.ofHours(1)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=0", "a=-1", "a=1001", "a=x", "a=", "=1", "a b", "a/b", "\u00e4", "a=1=2", "a,a=2", "a_b", "a=+1"
            })
    void groupsThatCannotBeServedAreRefused(String text) {
        assertThat(refused("--fleetlock-groups=" + text)).startsWith("--fleetlock-groups must");
    }

    @Test
    void aGroupsNameIsShorterThanConsulsLimits() {
        assertThat(served("--fleetlock-groups=" + "g".repeat(128)).groups()).hasSize(1);
        assertThat(refused("--fleetlock-groups=" + "g".repeat(129))).contains("at most 128 characters");
    }

    @Test
    void inMemoryItNeedsADirectoryOrTheSwitchForVolatile() {
        assertThat(Reading.PLAIN.refused("--http-port=8080", "--fleetlock-groups=default"))
                .contains("--data-dir", "--fleetlock-volatile");
        assertThat(Reading.PLAIN
                        .served("--http-port=8080", "--fleetlock-groups=default", "--data-dir=/d")
                        .storage()
                        .options()
                        .texts())
                .isEqualTo(Map.of("data-dir", "/d"));
        assertThat(Reading.PLAIN
                        .served("--http-port=8080", "--fleetlock-groups=default", "--storage=consul")
                        .fleetLock())
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({"/fleet, /fleet", "/fleet/, /fleet", "/a/b.c/d~_-1, /a/b.c/d~_-1", "/v1x/v1, /v1x/v1", "'', ''"})
    void aPathPrefixBeginsWithASlash(String text, String prefix) {
        assertThat(served("--fleetlock-groups=a", "--fleetlock-path-prefix=" + text)
                        .pathPrefix())
                .isEqualTo(prefix);
    }

    /** The last of these would hide the REST API. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "fleet",
                "/",
                "//",
                "/a//b",
                "/..",
                "/a/./b",
                "/a b",
                "/a?b",
                "/a%20b",
                "/\u00e4",
                "/v1",
                "/v1/",
                "/v1/fleetlock",
                "/health",
                "/ready/",
                "/metrics"
            })
    void whatIsNoPathOfItsOwnIsRefused(String text) {
        assertThat(refused("--fleetlock-groups=a", "--fleetlock-path-prefix=" + text))
                .startsWith("--fleetlock-path-prefix must be a path");
    }

    @Test
    void windowsBelongToTheirGroup() {
        var nights = new MaintenanceWindow(
                EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY),
                LocalTime.of(22, 0),
                Duration.ofHours(4),
                ZoneId.of("Europe/Berlin"));
        var noon = new MaintenanceWindow(
                EnumSet.allOf(DayOfWeek.class), LocalTime.NOON, Duration.ofMinutes(30), ZoneOffset.UTC);

        FleetLockConfig config = served(
                "--fleetlock-groups=a,b,c",
                "--fleetlock-window=b=Mon-Fri/22:00/4h/Europe/Berlin",
                "--fleetlock-window=c=daily/12:00/30m/Z",
                "--fleetlock-window=b=daily/12:00/30m/Z");

        assertThat(config.groups()).containsExactly(group("a", 1), group("b", 1, nights, noon), group("c", 1, noon));
    }

    @Test
    void windowsInTheVariableArePartedByWhiteSpace() {
        assertThat(Reading.variable("FLOCKGATE_FLEETLOCK_WINDOWS", "a=Sat,sun/01:30/45m  a=MON/23:59/168h")
                        .served("--http-port=8080", "--fleetlock-volatile", "--fleetlock-groups=a")
                        .fleetLock()
                        .orElseThrow()
                        .groups()
                        .getFirst()
                        .windows())
                .extracting(MaintenanceWindow::days)
                .containsExactly(Set.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY), Set.of(DayOfWeek.MONDAY));
    }

    @Test
    void aRangeOfDaysMayGoOverTheEndOfTheWeek() {
        assertThat(MaintenanceWindow.parse("sat-mon/00:00/1m"))
                .map(MaintenanceWindow::days)
                .contains(Set.of(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY, DayOfWeek.MONDAY));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a=",
                "a=daily",
                "a=daily/22:00",
                "a=never/22:00/1h",
                "a=/22:00/1h",
                "a=mon,/22:00/1h",
                "a=mon-/22:00/1h",
                "a=mon-tue-wed/22:00/1h",
                "a=daily/24:00/1h",
                "a=daily/2:00/1h",
                "a=daily/22:60/1h",
                "a=daily/22:00/0m",
                "a=daily/22:00/1",
                "a=daily/22:00/1d",
                "a=daily/22:00/169h",
                "a=daily/22:00/-1h",
                "a=daily/22:00/1h/",
                "a=daily/22:00/1h/Mars/Base"
            })
    void whatIsNoWindowIsRefused(String text) {
        assertThat(refused("--fleetlock-groups=a", "--fleetlock-window=" + text))
                .startsWith("--fleetlock-window must be group=days/start/length/zone");
    }
}
