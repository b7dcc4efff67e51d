package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.consul.testbed.ConsulOptionTexts;
import io.flockgate.gateway.config.GatewayConfig.StorageConfig;
import io.flockgate.options.OptionValues;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsulOptionsTest {
    private static final String SECRET = "5ecret-acl-token";

    private final Map<String, String> environment = new HashMap<>();

    private StorageConfig storage(String... flags) {
        return reading().served(withConsul(flags)).storage();
    }

    private String option(String name, String... flags) {
        return storage(flags).options().text(name).orElse("(none)");
    }

    private String refused(String... flags) {
        return reading().refused(withConsul(flags));
    }

    private Reading reading() {
        return new Reading(environment, Map.of()).file("token", SECRET + "\n");
    }

    private static String[] withConsul(String... flags) {
        return Stream.concat(Stream.of("--storage=consul"), Arrays.stream(flags))
                .toArray(String[]::new);
    }

    @Test
    void theStorageGetsNothingThatIsNotGiven() {
        assertThat(storage("--node-name=n1").options()).isEqualTo(OptionValues.DEFAULTS);
    }

    @Test
    void theStorageGetsAllThatIsGiven() {
        Map<String, String> texts = ConsulOptionTexts.with("consul-token-file", "token");
        String[] flags = texts.entrySet().stream()
                .map(each -> "--" + each.getKey() + "=" + each.getValue())
                .toArray(String[]::new);
        assertThat(storage(flags).options().texts()).isEqualTo(texts);
    }

    @Test
    void variablesOfOtherProgramsDoNotDisturbTheMemoryStorage() {
        environment.put("CONSUL_HTTP_ADDR", "unix:///run/consul.sock");
        environment.put("CONSUL_HTTP_TOKEN", "a");
        environment.put("CONSUL_HTTP_TOKEN_FILE", "missing");
        environment.put("FLOCKGATE_CONSUL_PREFIX", "//");
        assertThat(reading().served().storage()).isEqualTo(new StorageConfig("memory", OptionValues.DEFAULTS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://me:5ecret@consul:8500", "me:5ecret@consul:8500", "http://5ecret@consul"})
    void noMessageShowsALoginInAnAddress(String given) {
        assertThat(refused("--consul-addr=" + given)).contains("…@consul").doesNotContain("5ecret");
    }

    @Test
    void aTokenHasOneSourceAndFlagsBeatVariables() {
        environment.put("CONSUL_HTTP_TOKEN", "from-variable");
        assertThat(option("consul-token")).isEqualTo("from-variable");
        assertThat(storage("--consul-token-file=token").options().texts())
                .containsEntry("consul-token-file", "token")
                .doesNotContainKey("consul-token");
        assertThat(refused("--consul-token=a", "--consul-token-file=token"))
                .isEqualTo("--consul-token and --consul-token-file must not both be given");
        environment.put("CONSUL_HTTP_TOKEN_FILE", "token");
        assertThat(refused()).isEqualTo("CONSUL_HTTP_TOKEN and CONSUL_HTTP_TOKEN_FILE must not both be given");
        assertThat(option("consul-token", "--consul-token= from-flag ")).isEqualTo("from-flag");
    }

    @Test
    void aTokenFileMustHoldATokenAtTheStartAlready() {
        assertThat(refused("--consul-token-file=missing"))
                .isEqualTo("--consul-token-file: cannot read \"missing\": no such file or directory");
        assertThat(new Reading(Map.of(), Map.of()).file("f", " \n").refused(withConsul("--consul-token-file=f")))
                .isEqualTo("--consul-token-file: the file is empty");
        assertThat(refused("--consul-token-file=")).isEqualTo("--consul-token-file must not be blank");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5ecret x", "5ecret\rX-Evil: 1", "5ecret\u00e9", "5ecret\u0001"})
    void aTokenIsWhatAHeaderCanCarryAndNoMessageShowsIt(String token) {
        assertThat(refused("--consul-token", token))
                .startsWith("--consul-token: the token must")
                .doesNotContain("5ecret");
        assertThat(new Reading(Map.of(), Map.of()).file("f", token).refused(withConsul("--consul-token-file=f")))
                .startsWith("--consul-token-file: the token must")
                .doesNotContain("5ecret");
    }

    @Test
    void aPrintedConfigurationHidesTheToken() {
        GatewayConfig config = reading().served(withConsul("--consul-token", SECRET));
        assertThat(config.storage().options().texts()).containsEntry("consul-token", SECRET);
        assertThat(config.toString()).contains("consul-token").doesNotContain(SECRET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "/", "/a", "a//b", "a//", "a b", "a/../b", "a..b", ".a", "a/.lock", "a.", "a%20b", "a=b", "é"
            })
    void aPrefixIsOneThatNothingOnTheWayChanges(String given) {
        assertThat(refused("--consul-prefix=" + given)).startsWith("--consul-prefix must be names of letters");
    }

    @Test
    void aPrefixIsNotLongerThanNeeded() {
        assertThat(option("consul-prefix", "--consul-prefix=" + "a".repeat(512)))
                .hasSize(512);
        assertThat(refused("--consul-prefix=" + "a".repeat(513))).contains("at most 512 characters");
    }

    @ParameterizedTest
    @CsvSource({
        "--consul-session-ttl, 0, must be between 1 and 86400",
        "--consul-session-ttl, 86401, must be between 1 and 86400",
        "--consul-fence-base, -1, must be >= 0",
        "--consul-fence-base, 9223372036854775808, must be an integer",
        "--consul-holders, Map, must be list or map",
    })
    void valuesOutOfRangeAreRefused(String flag, String given, String message) {
        assertThat(refused(flag + "=" + given)).startsWith(flag + " " + message);
    }

    @Test
    void eachEntryOfTheMapCounts() {
        assertThat(option("consul-map", "--consul-map=a=x/one/", "--consul-map", "b,c=two"))
                .isEqualTo("a=x/one/\nb,c=two");
        environment.put("FLOCKGATE_CONSUL_MAP", " a=one,b=two\n\tc=three ");
        assertThat(refused()).startsWith("--consul-map must be key=prefix").contains("FLOCKGATE_CONSUL_MAP");
        environment.put("FLOCKGATE_CONSUL_MAP", " a,b=two\n\tc=three ");
        assertThat(option("consul-map")).isEqualTo("a,b=two\nc=three");
        assertThat(option("consul-map", "--consul-map=z=one")).isEqualTo("z=one");
        assertThat(option("consul-map", "--consul-map=")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "=x", "a=", "a=/x", "a=x//y", "a b=x", "a=x,b=y", "a=b=x", "a=.lock"})
    void anEntryIsAKeyAndAPrefix(String entry) {
        assertThat(refused("--consul-map=" + entry)).startsWith("--consul-map must be key=prefix");
    }

    @Test
    void aKeyInAnEntryHasAtMostAsManyBytesAsAnyKey() {
        assertThat(option("consul-map", "--consul-map=" + "é".repeat(128) + "=x"))
                .endsWith("=x");
        assertThat(refused("--consul-map=" + "é".repeat(128) + "k=x")).startsWith("--consul-map must be key=prefix");
        assertThat(refused("--consul-map=\uFFFD=x")).contains("set LANG");
    }

    @ParameterizedTest
    @CsvSource({"x, x", "x, x/", "x, x/y", "x, xy", "x/y, x"})
    void noPrefixBeginsAnother(String one, String other) {
        assertThat(refused("--consul-map=a=" + one, "--consul-map=b=" + other))
                .startsWith("--consul-map must not give two keys prefixes that are the same or of which one begins");
    }

    @Test
    void aKeyHasOnePrefix() {
        assertThat(refused("--consul-map=a=x", "--consul-map=a=y"))
                .startsWith("--consul-map must not map one key twice");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate", "flockgate/a", "flock"})
    void noPrefixOverlapsTheBase(String prefix) {
        assertThat(refused("--consul-map=a=" + prefix)).contains("neither may begin the other");
        assertThat(option("consul-map", "--consul-map=a=" + prefix, "--consul-prefix=base"))
                .isEqualTo("a=" + prefix);
    }

    @Test
    void aPrefixMayBeginLikeTheBaseAndGoOnOtherwise() {
        assertThat(option("consul-map", "--consul-map=a=flockgate2")).isEqualTo("a=flockgate2");
    }
}
