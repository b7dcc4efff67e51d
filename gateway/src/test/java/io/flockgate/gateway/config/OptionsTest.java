package io.flockgate.gateway.config;

import static java.util.stream.Collectors.toUnmodifiableSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.Option;
import io.flockgate.testsupport.Repository;
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

/** Every option has a default, a variable, validation, help and a row in the documentation. */
class OptionsTest {
    private static final Path DOCUMENT = Repository.file("protocol-docs/configuration.md");

    /** For each flag, a text that must be refused on the command line and in the environment. */
    private static final Map<String, String> BAD = Map.ofEntries(
            Map.entry("host", "a b"),
            Map.entry("port", "65536"),
            Map.entry("read-timeout", "0"),
            Map.entry("write-timeout", "-1"),
            Map.entry("max-connections", "-1"),
            Map.entry("max-connections-per-ip", "-1"),
            Map.entry("auto-release-on-disconnect", "maybe"),
            Map.entry("event-loops", "0"),
            Map.entry("proxy-protocol", "10.0.0.0/33"),
            Map.entry("default-lease-ttl", "0"),
            Map.entry("lease-sweep-interval", "0"),
            Map.entry("gc-interval", "0"),
            Map.entry("gc-max-idle", "-1"),
            Map.entry("max-locks", "0"),
            Map.entry("max-holders", "-1"),
            Map.entry("max-holders-per-client", "-1"),
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
            Map.entry("consul-dc", "a/b"),
            Map.entry("consul-namespace", "a&b"),
            Map.entry("consul-partition", "a b"),
            Map.entry("consul-prefix", "/a"),
            Map.entry("consul-session-ttl", "0"),
            Map.entry("consul-holders", "set"),
            Map.entry("consul-fence-base", "-1"),
            Map.entry("consul-map", "key"),
            Map.entry("consul-watches", "-1"),
            Map.entry("data-dir", "\0"),
            Map.entry("tls-cert", "only-one.pem"),
            Map.entry("tls-key", "only-one.pem"),
            Map.entry("tls-client-ca", "only-one.pem"),
            Map.entry("auth-token", " "),
            Map.entry("auth-token-file", "missing"),
            Map.entry("tokens-file", "missing"),
            Map.entry("http-port", "65536"),
            Map.entry("http-host", "a b"),
            Map.entry("http-session-idle-timeout", "-1"),
            Map.entry("http-max-sessions", "-1"),
            Map.entry("http-max-sessions-per-ip", "-1"),
            Map.entry("http-max-connections", "-1"),
            Map.entry("http-max-connections-per-ip", "-1"),
            Map.entry("http-rate-limit-per-ip", "-1"),
            Map.entry("http-rate-limit-burst", "-1"),
            Map.entry("http-allowed-hosts", "a b"),
            Map.entry("http-cors-allowed-origins", "a b"),
            Map.entry("http-max-event-streams", "0"),
            Map.entry("http-page", "maybe"),
            Map.entry("http-page-url", "javascript:alert(1)"),
            Map.entry("fleetlock-groups", "a b"),
            Map.entry("fleetlock-path-prefix", "fleet"),
            Map.entry("fleetlock-volatile", "maybe"),
            Map.entry("fleetlock-stale-after", "-1"),
            Map.entry("fleetlock-window", "default=always"),
            Map.entry("shutdown-timeout", "-1"),
            Map.entry("shutdown-delay", "-1"),
            Map.entry("log-grants", "maybe"),
            Map.entry("debug", "maybe"));

    /** The released storages, without those of tests. */
    private static final InstalledStorages RELEASED = new InstalledStorages(Stream.of("memory", "consul")
            .map(name -> InstalledStorages.onClassPath().named(name).orElseThrow())
            .toList());

    private static final OptionCatalogue CATALOGUE = OptionCatalogue.of(RELEASED);

    static List<Option<?>> all() {
        return CATALOGUE.options().toList();
    }

    @Test
    void everyDeclaredOptionIsInTheTableOnce() {
        long declared = Stream.of(GatewayOptions.class, FleetLockOptions.class)
                .flatMap(table -> Arrays.stream(table.getDeclaredFields()))
                .map(Field::getType)
                .filter(Option.class::equals)
                .count();
        long ofStorages = RELEASED.storages().stream()
                .flatMap(storage -> storage.options().stream())
                .distinct()
                .count();
        assertThat(all()).hasSize((int) (declared + ofStorages)).doesNotHaveDuplicates();
        assertThat(all().stream().map(Option::flag)).doesNotHaveDuplicates();
        assertThat(all().stream().map(Option::variable)).doesNotHaveDuplicates();
    }

    @Test
    void everyOptionHasATextThatIsRefused() {
        Set<String> flags = all().stream().map(Option::flag).collect(toUnmodifiableSet());
        assertThat(BAD.keySet()).isEqualTo(flags);
    }

    @ParameterizedTest
    @MethodSource("all")
    void aBadTextIsRefusedAsFlagAndAsVariable(Option<?> option) {
        String bad = String.valueOf(BAD.get(option.flag()));
        String storage = option.flag().startsWith("consul-") ? "--storage=consul" : "--";
        assertThat(Reading.PLAIN.refused(option.dashed() + "=" + bad, storage)).contains(option.dashed());
        assertThat(Reading.variable(option.variable(), bad).refused(storage))
                .containsAnyOf(option.dashed(), option.variable());
    }

    @ParameterizedTest
    @MethodSource("all")
    <T> void theDefaultIsReadableAndFulfilsTheRule(Option<T> option) {
        T value = option.type().parser().apply(option.fallback()).orElseThrow();
        assertThat(option.rule().violation().apply(value).isPresent()).isEqualTo(false);
        assertThat(option.shownDefault()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("all")
    void flagAndVariableFollowTheNamingRules(Option<?> option) {
        assertThat(option.flag()).matches("[a-z]+(-[a-z]+)*");
        assertThat(option.variable()).matches("(DFLOCKD|FLOCKGATE|CONSUL)(_[A-Z]+)+");
    }

    @ParameterizedTest
    @MethodSource("all")
    void theDocumentHasARowWithTheSameVariableDefaultAndRule(Option<?> option) throws IOException {
        String row = "| `%s` | `%s` | %s | %s | "
                .formatted(
                        option.dashed(),
                        option.variable(),
                        option.shownDefault(),
                        option.rule().text());
        assertThat(Files.readAllLines(DOCUMENT))
                .anySatisfy(line -> assertThat(line).startsWith(row).hasSizeGreaterThan(row.length() + 2));
    }

    @Test
    void theDocumentHasNoRowForAnOptionThatIsGone() throws IOException {
        Set<String> documented = new HashSet<>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("| `--") && line.contains("_")) {
                documented.add(line.split("`", 3)[1]);
            }
        }
        assertThat(documented)
                .containsExactlyInAnyOrderElementsOf(
                        all().stream().map(Option::dashed).toList());
    }

    @ParameterizedTest
    @MethodSource("all")
    void theHelpHasTheOptionWithVariableAndDefault(Option<?> option) {
        assertThat(HelpText.serve(CATALOGUE).lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("  " + option.dashed() + " ")
                        .endsWith(" " + option.variable() + ", default " + option.shownDefault()));
    }
}
