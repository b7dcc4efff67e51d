package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.HeapAccount.Shortage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeapAccountTest {
    /** What Java reports for the launcher's flags: -Xmx without a survivor space. */
    private static final long LAUNCHED = (1L << 30) - (640 << 10);

    private static final String TLS = " --tls-cert=/a --tls-key=/b";

    private static long heap(String mib) {
        return (Long.parseLong(mib) << 20) - (640 << 10);
    }

    private static Optional<Shortage> shortage(String flags, long heap) {
        return new HeapAccount(Reading.PLAIN.served(flags.trim().split(" "))).shortage(heap);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--port=0",
                "--port=0 --data-dir=/d",
                "--http-port=1",
                "--http-port=1" + TLS,
                "--http-port=1 --event-loops=4"
            })
    void theLaunchersHeapSufficesForTheDefaults(String flags) {
        assertThat(shortage(flags, LAUNCHED)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--max-connections=200000",
                "--max-holders=10000000",
                "--data-dir=/d --max-holders=1000000",
                "--max-locks=9223372036854775807",
                "--max-enqueued=2000000",
                "--http-port=1 --http-max-connections=50000",
                "--http-port=1 --http-max-sessions=2000000",
                "--http-port=1 --http-max-pending-calls=2000000",
                "--http-port=1 --event-loops=8 --http-max-event-streams=1000"
            })
    void aCapThatTakesMoreIsNamed(String flags) {
        String raised = flags.substring(flags.lastIndexOf(' ') + 1);
        assertThat(shortage(flags, LAUNCHED).orElseThrow().caps()).startsWith(raised);
    }

    @Test
    void largeGroupsAreNamed() {
        String groups = IntStream.range(0, 400).mapToObj(i -> "g" + i + "=1000").collect(Collectors.joining(","));
        assertThat(shortage("--http-port=1 --fleetlock-volatile --fleetlock-groups=" + groups, LAUNCHED)
                        .orElseThrow()
                        .caps())
                .startsWith("--fleetlock-groups of 400000 slots");
    }

    @Test
    void aSmallHeapDoesNotSufficeForTheDefaults() {
        Shortage shortage = shortage("--http-port=1", heap("128")).orElseThrow();
        assertThat(shortage.caps())
                .isEqualTo("--max-connections=20000 --http-max-connections=2048 --max-enqueued=100000"
                        + " --max-holders=250000");
        assertThat(shortage.neededMib()).isEqualTo(672);
        assertThat(shortage("--http-port=1", shortage.neededMib() << 20)).isEmpty();
        assertThat(shortage("--http-port=1", (shortage.neededMib() - 16) << 20)).isPresent();
    }

    @Test
    void thePublishedCapsFit() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "design", "limits.md"));
        Matcher published = Pattern.compile("FLOCKGATE_OPTS=-Xmx(\\d+)m \\./flockgate (--.*)")
                .matcher(page);
        assertThat(published.find()).isTrue();
        assertThat(shortage(published.group(2), heap(published.group(1)))).isEmpty();
        assertThat(shortage(published.group(2) + TLS, heap("192"))).isEmpty();
        assertThat(page).contains("needed=-Xmx672m");
    }

    @Test
    void aCapOfNothingIsNoFigure() {
        assertThat(shortage("--max-connections=0", LAUNCHED)).isEmpty();
        assertThat(shortage("--max-holders=1000000", LAUNCHED)).isEmpty();
    }
}
