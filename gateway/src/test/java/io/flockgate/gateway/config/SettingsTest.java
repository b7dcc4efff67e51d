package io.flockgate.gateway.config;

import static java.util.stream.Collectors.toUnmodifiableSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No setting is without default, variable, validation, help and a row in the documentation. */
class SettingsTest {
    private static final Path DOCUMENT = Path.of("..", "protocol-docs", "configuration.md");

    /** For each flag a text that must be refused, on the command line as in the environment. */
    private static final Map<String, String> BAD = Map.ofEntries(
            Map.entry("host", "a b"),
            Map.entry("port", "65536"),
            Map.entry("read-timeout", "0"),
            Map.entry("write-timeout", "-1"),
            Map.entry("max-connections", "-1"),
            Map.entry("max-connections-per-ip", "-1"),
            Map.entry("auto-release-on-disconnect", "maybe"),
            Map.entry("event-loops", "0"),
            Map.entry("default-lease-ttl", "0"),
            Map.entry("lease-sweep-interval", "0"),
            Map.entry("gc-interval", "0"),
            Map.entry("gc-max-idle", "-1"),
            Map.entry("max-locks", "0"),
            Map.entry("max-waiters", "-1"),
            Map.entry("fence-state-file", "\0"),
            Map.entry("storage", " "),
            Map.entry("node-name", "a b"),
            Map.entry("consul-addr", "unix:///run/consul.sock"),
            Map.entry("consul-token", " "),
            Map.entry("consul-token-file", "missing"),
            Map.entry("consul-ca-file", "\0"),
            Map.entry("consul-client-cert", "only-one.pem"),
            Map.entry("consul-client-key", "only-one.pem"),
            Map.entry("consul-prefix", "/a"),
            Map.entry("consul-session-ttl", "0"),
            Map.entry("consul-check-ttl", "-1"),
            Map.entry("consul-holders", "set"),
            Map.entry("consul-fence-base", "-1"),
            Map.entry("consul-map", "key"),
            Map.entry("data-dir", "\0"),
            Map.entry("tls-cert", "only-one.pem"),
            Map.entry("tls-key", "only-one.pem"),
            Map.entry("auth-token", " "),
            Map.entry("auth-token-file", "missing"),
            Map.entry("http-port", "65536"),
            Map.entry("http-host", "a b"),
            Map.entry("http-session-idle-timeout", "-1"),
            Map.entry("http-max-sessions", "-1"),
            Map.entry("http-max-sessions-per-ip", "-1"),
            Map.entry("http-max-connections-per-ip", "-1"),
            Map.entry("http-rate-limit-per-ip", "-1"),
            Map.entry("http-rate-limit-burst", "-1"),
            Map.entry("http-cors-allowed-origins", "a b"),
            Map.entry("fleetlock-groups", "a b"),
            Map.entry("fleetlock-path-prefix", "fleet"),
            Map.entry("fleetlock-volatile", "maybe"),
            Map.entry("fleetlock-stale-after", "-1"),
            Map.entry("fleetlock-window", "default=always"),
            Map.entry("shutdown-timeout", "-1"),
            Map.entry("shutdown-delay", "-1"),
            Map.entry("debug", "maybe"));

    static List<Setting<?>> all() {
        return Settings.ALL;
    }

    @Test
    void everyDeclaredSettingIsInTheTableOnce() {
        long declared = Stream.of(Settings.class, ConsulSettings.class, FleetLockSettings.class)
                .flatMap(table -> Arrays.stream(table.getDeclaredFields()))
                .map(Field::getType)
                .filter(Setting.class::equals)
                .count();
        assertThat(Settings.ALL).hasSize((int) declared).doesNotHaveDuplicates();
        assertThat(Settings.ALL.stream().map(Setting::flag)).doesNotHaveDuplicates();
        assertThat(Settings.ALL.stream().map(Setting::variable)).doesNotHaveDuplicates();
    }

    @Test
    void everySettingHasATextThatIsRefused() {
        Set<String> flags = Settings.ALL.stream().map(Setting::flag).collect(toUnmodifiableSet());
        assertThat(BAD.keySet()).isEqualTo(flags);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aBadTextIsRefusedAsFlagAndAsVariable(Setting<?> setting) {
        String bad = String.valueOf(BAD.get(setting.flag()));
        String storage = setting.group() == Group.CONSUL ? "--storage=consul" : "--";
        assertThat(Reading.PLAIN.refused(setting.dashed() + "=" + bad, storage)).contains(setting.dashed());
        assertThat(Reading.variable(setting.variable(), bad).refused(storage))
                .containsAnyOf(setting.dashed(), setting.variable());
    }

    @ParameterizedTest
    @MethodSource("all")
    <T> void theDefaultIsReadableAndFulfilsTheRule(Setting<T> setting) {
        T value = setting.kind().flag().apply(setting.fallback()).orElseThrow();
        assertThat(setting.rule().complaint().apply(value).isPresent()).isEqualTo(false);
        assertThat(setting.shownDefault()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("all")
    void flagAndVariableFollowTheNamingRules(Setting<?> setting) {
        assertThat(setting.flag()).matches("[a-z]+(-[a-z]+)*");
        assertThat(setting.variable()).matches("(DFLOCKD|FLOCKGATE|CONSUL)(_[A-Z]+)+");
    }

    @ParameterizedTest
    @MethodSource("all")
    void theDocumentHasARowWithTheSameVariableDefaultAndRule(Setting<?> setting) throws IOException {
        String row = "| `%s` | `%s` | %s | %s | "
                .formatted(
                        setting.dashed(),
                        setting.variable(),
                        setting.shownDefault(),
                        setting.rule().text());
        assertThat(Files.readAllLines(DOCUMENT))
                .anySatisfy(line -> assertThat(line).startsWith(row).hasSizeGreaterThan(row.length() + 2));
    }

    @Test
    void theDocumentHasNoRowForASettingThatIsGone() throws IOException {
        Set<String> documented = new HashSet<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("| `--") && line.contains("_")) {
                documented.add(line.split("`", 3)[1]);
            }
        }
        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(
                        Settings.ALL.stream().map(Setting::dashed).toList());
    }

    @ParameterizedTest
    @MethodSource("all")
    void theHelpHasTheSettingWithVariableAndDefault(Setting<?> setting) {
        assertThat(HelpText.render().lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  " + setting.dashed() + " ")
                        .endsWith(" " + setting.variable() + ", default " + setting.shownDefault()));
    }

    @Test
    void theHelpFitsItsWidthAndEndsWithALineFeed() {
        assertThat(HelpText.render()).endsWith("\n").doesNotContain("\t");
        assertThat(HelpText.render().lines())
                .allSatisfy(line -> assertThat(line)
                        .hasSizeLessThanOrEqualTo(HelpText.WIDTH)
                        .doesNotEndWith(" "));
    }
}
