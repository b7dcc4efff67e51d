package io.flockgate.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.gateway.Gateway;
import io.flockgate.gateway.config.CommandLine.Invocation;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A storage on the class path that is unknown to the gateway brings its own options. */
class ForeignStorageTest {
    private static Map<String, String> texts(Reading reading, String... flags) {
        return reading.served(flags).storage().options().texts();
    }

    @Test
    void itsOptionsComeFromFlagsAndVariables() {
        Reading environment = new Reading(Map.of("TINY_SLOTS", "6", "TINY_ODD", "No"), Map.of());
        assertThat(texts(Reading.PLAIN, "--storage=tiny")).isEmpty();
        assertThat(texts(Reading.PLAIN, "--storage=tiny", "--tiny-slots", "5")).isEqualTo(Map.of("tiny-slots", "5"));
        assertThat(texts(environment, "--storage=tiny")).isEqualTo(Map.of("tiny-slots", "6", "tiny-odd", "false"));
        assertThat(texts(environment, "--storage=tiny", "--tiny-slots=8"))
                .isEqualTo(Map.of("tiny-slots", "8", "tiny-odd", "false"));
    }

    @Test
    void itIsOpenedWithItsOptions() {
        GatewayConfig config = Reading.PLAIN.served("--storage=tiny", "--tiny-slots=5", "--node-name=n1");
        assertThatThrownBy(() -> Gateway.start(config).await()).hasMessage("n1 has slots: 5");
    }

    @Test
    void theHelpListsItsOptionsUnderItsName() {
        assertThat(((Invocation.Help) Reading.PLAIN.read("serve", "--help")).text())
                .contains("""

                Storage tiny
                  --tiny-slots <count>                    TINY_SLOTS, default 3
                      Slots of the tiny storage.
                  --tiny-odd                              TINY_ODD, default true
                      Whether slots are odd.
                """)
                .doesNotContain("Storage memory");
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Reading.PLAIN.refused("--storage=tiny", "--tiny-slots=10"))
                .isEqualTo("--tiny-slots must be between 1 and 9 (got 10)");
        assertThat(Reading.variable("TINY_SLOTS", "x").refused("--storage=tiny"))
                .isEqualTo("TINY_SLOTS must be an integer (got \"x\")");
        assertThat(Reading.PLAIN.refused("--storage=tiny", "--tiny-slots=2"))
                .isEqualTo("--tiny-slots and --tiny-odd must agree");
    }

    @Test
    void storagesDoNotKnowEachOthersOptions() {
        assertThat(Reading.PLAIN.refused("--tiny-slots=5"))
                .isEqualTo("--tiny-slots has no meaning with --storage memory");
        assertThat(Reading.PLAIN.refused("--tiny-slots=5", "--storage=consul"))
                .isEqualTo("--tiny-slots has no meaning with --storage consul");
        assertThat(Reading.PLAIN.refused("--consul-addr=c:1", "--storage=tiny"))
                .isEqualTo("--consul-addr has no meaning with --storage tiny");
        assertThat(Reading.PLAIN.refused("--data-dir=d", "--storage=tiny"))
                .isEqualTo("--data-dir has no meaning with --storage tiny");
        assertThat(texts(Reading.variable("TINY_SLOTS", "10"))).isEmpty();
    }
}
