package io.flockgate.storage.consul.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.flockgate.consul.testbed.ConsulOptionTexts;
import io.flockgate.options.Option;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.Key;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.consul.api.ConsulAddress;
import io.flockgate.storage.consul.api.ConsulOptions;
import io.flockgate.storage.consul.api.ConsulOptions.TlsFiles;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.format.SemaphoreDocument.HoldersForm;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsulConfigTest {
    private static ConsulConfig config(Map<String, String> texts) {
        return new ConsulConfig(new OptionValues(texts));
    }

    @Test
    void whatIsNotGivenHasItsDefault() {
        ConsulConfig config = config(Map.of());
        ConsulOptions consul = config.consul(new SystemEnvironment());

        assertThat(consul.address()).isEqualTo(new ConsulAddress("http", "127.0.0.1", 8500));
        assertThat(consul.token().token()).isNull();
        assertThat(consul.tls()).isEqualTo(new TlsFiles(null, null, null));
        assertThat(consul.scope()).isEmpty();
        assertThat(consul.watchBudget()).isEqualTo(34);
        assertThat(config.base()).isEqualTo("flockgate/");
        assertThat(config.map()).isEmpty();
        assertThat(config.sessionTtl()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.holders()).isEqualTo(HoldersForm.LIST);
        assertThat(config.fenceBase()).isZero();
    }

    @Test
    void whatIsGivenCounts() {
        ConsulConfig config = config(ConsulOptionTexts.with("consul-token", "secret"));
        ConsulOptions consul = config.consul(new SystemEnvironment());

        assertThat(consul.address()).hasToString("http://consul.example:8501");
        assertThat(consul.token().token()).isEqualTo("secret");
        assertThat(consul.tls()).isEqualTo(new TlsFiles(Path.of("ca.pem"), Path.of("c.pem"), Path.of("k.pem")));
        assertThat(consul.scope()).containsExactly("dc=dc-1", "ns=team-a", "partition=part_1");
        assertThat(consul.watchBudget()).isEqualTo(142);
        assertThat(config.base()).isEqualTo("locks/live/");
        assertThat(config.map()).isEqualTo(Map.of(Key.of("a"), "x/one", Key.of("b,c"), "two"));
        assertThat(config.sessionTtl()).isEqualTo(Duration.ofSeconds(15));
        assertThat(config.holders()).isEqualTo(HoldersForm.MAP);
        assertThat(config.fenceBase()).isEqualTo(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"a, a/", "a/, a/", "a/b-c_d~e.f/G9, a/b-c_d~e.f/G9/"})
    void theBaseEndsWithOneSlash(String given, String base) {
        assertThat(config(Map.of("consul-prefix", given)).base()).isEqualTo(base);
    }

    @Test
    void anEmptyMapMapsNothing() {
        assertThat(config(Map.of("consul-map", "")).map()).isEmpty();
    }

    @Test
    void aTextThatNoGatewayWouldTakeIsRefused() {
        ConsulConfig config = config(Map.of("consul-session-ttl", "soon"));
        assertThatIllegalArgumentException()
                .isThrownBy(config::sessionTtl)
                .withMessageContaining("--consul-session-ttl");
    }

    @Test
    void everyDeclaredOptionIsInTheTableOnce() {
        long declared = Arrays.stream(OptionTable.class.getDeclaredFields())
                .map(Field::getType)
                .filter(Option.class::equals)
                .count();
        assertThat(OptionTable.ALL)
                .contains(StorageProvider.FENCE_STATE_FILE)
                .hasSize((int) declared + 1)
                .doesNotHaveDuplicates();
    }
}
