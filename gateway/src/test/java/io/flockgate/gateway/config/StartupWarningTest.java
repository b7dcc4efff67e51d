package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartupWarningTest {
    private static final String TCP = "--max-connections --max-connections-per-ip --max-holders --max-waiters";
    private static final String HTTP =
            "--http-max-sessions --http-max-sessions-per-ip --http-max-connections" + " --http-max-connections-per-ip";

    @ParameterizedTest
    @CsvSource({
        // host, http host, http port, limit everywhere → what is named
        "127.0.0.1, 127.0.0.1, 1, 0, ''",
        "127.0.0.1, 0.0.0.0, 0, 0, ''",
        "127.0.0.1, 0.0.0.0, 1, 0, both",
        "0.0.0.0, 127.0.0.1, 0, 0, tcp",
        "0.0.0.0, 127.0.0.1, 1, 0, both",
        "0.0.0.0, 0.0.0.0, 1, 0, both",
        "0.0.0.0, 0.0.0.0, 1, 9, ''",
    })
    void unlimitedResourcesAreNamedOnceAnEnabledListenerCanBeReached(
            String host, String httpHost, int httpPort, long limit, String named) {
        String expected = switch (named) {
            case "tcp" -> TCP;
            case "both" -> TCP + " " + HTTP;
            default -> "";
        };
        GatewayConfig config = config(host, httpHost, httpPort, limit);
        assertThat(StartupWarning.unset(config).orElse("")).isEqualTo(expected);
    }

    @Test
    void eachLimitIsNamedByItselfAndTheDefaultsLeaveNoneOut() {
        assertThat(StartupWarning.unset(Reading.PLAIN.served("--host=", "--http-port=1")))
                .isEmpty();
        for (String open : TCP.split(" ", -1)) {
            assertThat(StartupWarning.unset(Reading.PLAIN.served("--host=", open + "=0")))
                    .contains(open);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
    void loopbackIsLocalhostOrALoopbackLiteral(String host) {
        assertThat(StartupWarning.unset(config(host, host, 1, 0))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0.0.0.0", "::", "example.invalid", "localhost.localdomain", "192.0.2.1", "2001:db8::1"})
    void everythingElseCanBeReached(String host) {
        assertThat(StartupWarning.unset(config(host, "127.0.0.1", 0, 0))).contains(TCP);
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "--host=0.0.0.0, --host",
        "--host=0.0.0.0 --http-port=1, --host --http-host",
        "--http-host=:: --http-port=1, --http-host",
        "--http-host=::, ''",
        "--host=0.0.0.0 --auth-token=1234567890123456, ''"
    })
    void listenersThatStrangersReachWithoutATokenAreNamed(String args, String named) {
        GatewayConfig config = Reading.PLAIN.served(args.isEmpty() ? new String[0] : args.split(" "));
        assertThat(StartupWarning.withoutToken(config).orElse("")).isEqualTo(named);
    }

    @Test
    void aTokenOfFewCharactersIsShort() {
        assertThat(Reading.PLAIN.served("--auth-token=123456789012345").auth().isShort())
                .isTrue();
        assertThat(Reading.PLAIN.served("--auth-token=1234567890123456").auth().isShort())
                .isFalse();
        assertThat(Reading.PLAIN.served().auth().isShort()).isFalse();
    }

    private static GatewayConfig config(String host, String httpHost, int httpPort, long limit) {
        List<String> flags =
                new ArrayList<>(List.of("--host=" + host, "--http-host=" + httpHost, "--http-port=" + httpPort));
        for (String flag : (TCP + " " + HTTP).split(" ", -1)) {
            flags.add(flag + "=" + limit);
        }
        return Reading.PLAIN.served(flags.toArray(String[]::new));
    }

    @Test
    void serviceLinksOfKubernetesAreNamedAndNotRead() {
        Map<String, String> environment = Map.of(
                "DFLOCKD_PORT", "tcp://10.0.0.1:6388",
                "DFLOCKD_HTTP_PORT", "udp://[fd00::1]:6389",
                "KUBERNETES_PORT", "tcp://10.0.0.2:443");
        GatewayConfig config = new Reading(environment, Map.of()).served();
        assertThat(config.tcp().port()).isEqualTo(6388);
        assertThat(config.http().port()).isZero();
        assertThat(StartupWarning.serviceLinks(environment)).contains("DFLOCKD_PORT DFLOCKD_HTTP_PORT");
        assertThat(StartupWarning.serviceLinks(Map.of("DFLOCKD_PORT", "1"))).isEmpty();
    }
}
