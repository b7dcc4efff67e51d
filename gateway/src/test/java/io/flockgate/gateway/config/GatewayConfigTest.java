package io.flockgate.gateway.config;

import static io.flockgate.storage.StorageProvider.FENCE_STATE_FILE;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.HttpConfig;
import io.flockgate.gateway.config.GatewayConfig.LockConfig;
import io.flockgate.gateway.config.GatewayConfig.StorageConfig;
import io.flockgate.gateway.config.GatewayConfig.TcpConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.limits.Gate.Caps;
import io.flockgate.gateway.limits.Gate.Resource;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.StorageSettings.StorageLimits;
import io.flockgate.storage.StorageSettings.Upkeep;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration of flags and variables, with its networks and the name of the node. */
class GatewayConfigTest {
    @Test
    void withoutFlagsAndVariablesEverythingHasItsDefault() {
        assertThat(Reading.PLAIN.served("--node-name=n1"))
                .isEqualTo(new GatewayConfig(
                        new TcpConfig("127.0.0.1", 6388, seconds(23), seconds(5), true, 1, List.of()),
                        new LockConfig(
                                seconds(33),
                                new Upkeep(seconds(1), seconds(5), seconds(60)),
                                new StorageLimits(1024, 250_000, 20_000)),
                        "n1",
                        new StorageConfig("memory", OptionValues.DEFAULTS),
                        Optional.empty(),
                        AuthConfig.NONE,
                        new HttpConfig("127.0.0.1", 0, seconds(20), 0, 0, List.of(), List.of(), true, ""),
                        Map.of(
                                Resource.CONNECTION, new Caps(20_000, 15_000),
                                Resource.HTTP_CONNECTION, new Caps(2048, 1500),
                                Resource.SESSION, new Caps(20_000, 15_000),
                                Resource.EVENT_STREAM, new Caps(16, 4),
                                Resource.CALL, new Caps(20_000, 10_000),
                                Resource.REPORT, new Caps(68, 34),
                                Resource.ENQUEUED, new Caps(100_000, 10_000),
                                Resource.SLOT, new Caps(0, 50_000)),
                        Optional.empty(),
                        seconds(30),
                        seconds(0),
                        false,
                        false));
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 6389, '', http://127.0.0.1:6389/",
        "2001:db8::7, 6389, '', http://[2001:db8::7]:6389/",
        "gate-1.example, 6389, '', http://gate-1.example:6389/",
        "0.0.0.0, 6389, '', ''",
        "'::', 6389, '', ''",
        "'::', 6389, https://gate-1.example/page, https://gate-1.example/page",
        "127.0.0.1, 0, https://gate-1.example/page, ''"
    })
    void otherGatewaysLearnTheAddressOfThePage(String host, String port, String given, String told) {
        String[] flags = {"--http-host=" + host, "--http-port=" + port, "--http-page-url=" + given};
        assertThat(Reading.PLAIN.served(flags).http().pageUrl()).isEqualTo(told);
        assertThat(Reading.PLAIN
                        .served("--http-port=1", "--http-page=false")
                        .http()
                        .pageUrl())
                .isEmpty();
    }

    @Test
    void aFlagBeatsItsVariableAndTheVariableItsDefault() {
        Reading environment = Reading.variable("DFLOCKD_MAX_LOCKS", "7");
        assertThat(environment.served().locks().limits().maxLocks()).isEqualTo(7);
        assertThat(environment.served("--max-locks", "9").locks().limits().maxLocks())
                .isEqualTo(9);
        assertThat(environment.served("--max-locks", "1024").locks().limits().maxLocks())
                .isEqualTo(1024);
    }

    @Test
    void anEmptyVariableIsUnset() {
        assertThat(Reading.variable("DFLOCKD_PORT", "").served().tcp().port()).isEqualTo(6388);
        assertThat(Reading.variable("DFLOCKD_DEBUG", "").served().debug()).isFalse();
        assertThat(Reading.variable("DFLOCKD_AUTH_TOKEN", "").served().auth()).isEqualTo(AuthConfig.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "1.5", "0x10", "1_000", "5s", " 5", "+", "٣", "9223372036854775808", "1e3"})
    void anIntegerIsWrittenInDecimalDigits(String text) {
        assertThat(Reading.variable("DFLOCKD_MAX_LOCKS", text).refused())
                .isEqualTo("DFLOCKD_MAX_LOCKS must be an integer (got \"%s\")", text);
        assertThat(Reading.PLAIN.refused("--max-locks", text))
                .isEqualTo("--max-locks must be an integer (got \"%s\")", text);
    }

    /** Flags, and what the printed configuration then contains. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--port=0                    | TcpConfig[host=127.0.0.1, port=0,",
                "--port=65535                | port=65535,",
                "--port=0 --http-port=0      | HttpConfig[host=127.0.0.1, port=0,",
                "--host=                     | TcpConfig[host=, port=6388,",
                "--host=::1                  | HttpConfig[host=::1,",
                "--http-host=::1             | TcpConfig[host=127.0.0.1,",
                "--http-host=::1             | HttpConfig[host=::1,",
                "--read-timeout=9223372036   | readTimeout=PT2562047H47M16S,",
                "--write-timeout=0           | writeTimeout=PT0S,",
                "--shutdown-timeout=0        | shutdownTimeout=PT0S,",
                "--gc-max-idle=0             | gcMaxIdle=PT0S]",
                "--max-locks=010             | maxLocks=10,",
                "--max-locks=+7              | maxLocks=7,",
                "--max-locks=9223372036854775807 | maxLocks=9223372036854775807,",
                "--storage=x                 | StorageConfig[name=x,",
                "--http-rate-limit-per-ip=5  | rateLimitPerIp=5, rateLimitBurst=5,",
                "--http-rate-limit-per-ip=5 --http-rate-limit-burst=9 | rateLimitPerIp=5, rateLimitBurst=9,"
            })
    void aFlagSetsItsValue(String flags, String printed) {
        assertThat(Reading.PLAIN.served(flags.split(" ")).toString()).contains(printed);
    }

    @ParameterizedTest
    @CsvSource({"/var/f, Optional[/var/f]", "'', Optional.empty"})
    void theStorageGetsTheFileOfFences(String file, String expected) {
        assertThat(Reading.PLAIN
                        .served("--fence-state-file=" + file)
                        .storage()
                        .options()
                        .get(FENCE_STATE_FILE))
                .hasToString(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, true", "yes, true", "TRUE, true", "Yes, true", "0, false", "no, false", "False, false"})
    void aSwitchVariableKnowsYesAndNoInAnyCase(String text, boolean expected) {
        assertThat(Reading.variable("DFLOCKD_DEBUG", text).served().debug()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "f", "on", "2", " true"})
    void aSwitchVariableKnowsNoOtherWords(String text) {
        assertThat(Reading.variable("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT", text).refused())
                .startsWith("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT must be one of 1, yes, true, 0, no, false (got ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--port=65536 | --port must be between 0 and 65535 (got 65536)",
                "--http-port=-1 | --http-port must be between 0 and 65535 (got -1)",
                "--http-port=6388 | --http-port must differ from --port (both are 6388)",
                "--max-locks 0 | --max-locks must be > 0 (got 0)",
                "--write-timeout -1 | --write-timeout must be >= 0 (got -1)",
                "--event-loops 1025 | --event-loops must be between 1 and 1024 (got 1025)",
                "--read-timeout 9223372037 | --read-timeout must be <= 9223372036 (got 9223372037)",
                "--gc-max-idle 9223372036854775807 | --gc-max-idle must be <= 9223372036 (got 9223372036854775807)",
                "--write-timeout -9223372036854775808 | --write-timeout must be >= 0 (got -9223372036854775808)",
                "--tls-cert c.pem | both --tls-cert and --tls-key must be provided together",
                "--tls-cert c.pem --tls-key k.pem --tls-client-ca= | --tls-client-ca must not be blank",
                "--fleetlock-groups=a --fleetlock-volatile | --fleetlock-groups needs an HTTP server: set --http-port",
                "--fleetlock-path-prefix=/f | --fleetlock-path-prefix has no meaning without --fleetlock-groups",
                "--http-port=1 --fleetlock-volatile --fleetlock-groups=a --fleetlock-window=A=daily/22:00/1h"
                        + " | --fleetlock-window names a group that --fleetlock-groups does not: \"A\"",
            })
    void whatCannotBeServedIsRefused(String flags, String message) {
        assertThat(Reading.PLAIN.refused(flags.split(" "))).isEqualTo(message);
    }

    @Test
    void aBadVariableIsNamedBesideItsFlag() {
        assertThat(Reading.variable("DFLOCKD_MAX_LOCKS", "0").refused())
                .isEqualTo("--max-locks must be > 0 (got 0 from DFLOCKD_MAX_LOCKS)");
    }

    @Test
    void certificatesOfClientsNeedTls() {
        String[] files = {"--tls-cert", "c.pem", "--tls-key", "k.pem", "--tls-client-ca", "ca.pem"};
        Reading open = Reading.variable("DFLOCKD_HOST", "0.0.0.0");
        assertThat(StartupWarning.withoutToken(open.served())).contains("--host");
        assertThat(StartupWarning.withoutToken(open.served(files))).isEmpty();
        assertThat(Reading.PLAIN.served(files).tls().flatMap(TlsConfig::clients))
                .contains(new TlsConfig.ClientCa(Path.of("ca.pem"), true));
        assertThat(Reading.variable("DFLOCKD_AUTH_TOKEN", "s3cret")
                        .served(files)
                        .tls()
                        .flatMap(TlsConfig::clients))
                .contains(new TlsConfig.ClientCa(Path.of("ca.pem"), false));
        assertThat(Reading.variable("FLOCKGATE_TLS_CLIENT_CA", "ca.pem").refused())
                .isEqualTo("--tls-client-ca needs --tls-cert and --tls-key");
    }

    @Test
    void certificateAndKeyComeTogether() {
        assertThat(Reading.PLAIN
                        .served("--tls-cert", "c.pem", "--tls-key", "k.pem")
                        .tls())
                .contains(new TlsConfig(Path.of("c.pem"), Path.of("k.pem"), Optional.empty()));
        assertThat(Reading.variable("DFLOCKD_TLS_KEY", "k.pem").refused())
                .isEqualTo("both --tls-cert and --tls-key must be provided together");
        assertThat(Reading.PLAIN.served("--tls-cert=", "--tls-key=").tls()).isEmpty();
    }

    @Test
    void messagesShowControlCharactersEscaped() {
        assertThat(Reading.PLAIN.refused("--host", "a\nb"))
                .isEqualTo("--host must not contain white space or control characters (got \"a\\nb\")");
    }

    @Test
    void originsAreSplitAtCommasAndTrimmed() {
        assertThat(Reading.PLAIN
                        .served("--http-cors-allowed-origins", " https://a , ,https://b,")
                        .http()
                        .corsAllowedOrigins())
                .containsExactly("https://a", "https://b");
        assertThat(Reading.PLAIN.refused("--http-cors-allowed-origins", "https://a https://b"))
                .startsWith("--http-cors-allowed-origins must not contain white space");
    }

    @Test
    void oldNamesOfVariablesAreNotRead() {
        Reading old = new Reading(Map.of("DFLOCKD_GC_LOOP_SLEEP", "x", "DFLOCKD_GC_MAX_UNUSED_TIME", "x"), Map.of());
        assertThat(old.served().locks().upkeep().gcInterval()).isEqualTo(seconds(5));
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,        10.255.0.1,        true",
        "10.0.0.0/8,        11.0.0.1,          false",
        "192.168.1.128/25,  192.168.1.127,     false",
        "192.168.1.128/25,  192.168.1.200,     true",
        "127.0.0.1,         127.0.0.1,         true",
        "127.0.0.1,         127.0.0.2,         false",
        "0.0.0.0/0,         203.0.113.9,       true",
        "0.0.0.0/0,         2001:db8::1,       false",
        "2001:db8::/32,     2001:db8:1::7,     true",
        "2001:db8::/32,     2001:db9::7,       false"
    })
    void containsTheAddressesWithItsPrefix(String network, String address, boolean contained) {
        assertThat(Network.parse(network).orElseThrow().contains(InetAddress.ofLiteral(address)))
                .isEqualTo(contained);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/33", "::/129", "10.0.0.0/8/8", "proxy"})
    void anythingElseIsNoNetwork(String text) {
        assertThat(Network.parse(text)).isEmpty();
    }

    private static String nameOf(String... flags) {
        return Reading.PLAIN.served(flags).nodeName();
    }

    @Test
    void anUnnamedGatewayIsCalledAsItsHostAndPort() {
        String host = NodeName.ofHost().strip();
        assertThat(host).isNotEmpty();
        assertThat(nameOf("--port=7001")).isEqualTo(NodeName.unnamed(host, 7001));
    }

    @ParameterizedTest
    @CsvSource({
        "web1, web1:6388",
        "'web-1.example_a\n', web-1.example_a:6388",
        "wéb 1/x, wxbx1xx:6388",
        "-web, xweb:6388",
        "'', host:6388"
    })
    void aNameHoldsOfTheHostsWhatANameMay(String host, String name) {
        assertThat(NodeName.unnamed(host, 6388)).isEqualTo(name);
    }

    @Test
    void aLongHostNameStillMakesAName() {
        String name = NodeName.unnamed("h".repeat(253), 65_535);
        assertThat(name).isEqualTo("h".repeat(100) + ":65535");
        assertThat(NodeName.RULE.violation().apply(name)).isEmpty();
    }

    @Test
    void withoutAPortOfItsOwnANameIsNewWithEachStart() {
        assertThat(NodeName.unnamed("web1", 0))
                .matches("web1-" + ProcessHandle.current().pid() + "-[0-9a-f]{4}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"n1", "eu:web-1.example_a"})
    void aGivenNameCounts(String name) {
        assertThat(nameOf("--node-name", name)).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "a b", "a/b", ".a", "-", "é", "a%b"})
    void aNameIsOneThatAnyStorageCanWriteDown(String name) {
        assertThat(Reading.PLAIN.refused("--node-name=" + name)).startsWith("--node-name must be 1 to 128 letters");
    }
}
