package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConsulVersionTest {
    @Test
    void theFirstLineOfABinaryNamesItsVersion() {
        assertThat(ConsulVersion.of("Consul v1.8.7+dfsg1\nRevision 1.8.7+dfsg1-2\nProtocol 2"))
                .isEqualTo(new ConsulVersion(1, 8));
        assertThat(ConsulVersion.of("Consul v1.22.0+ent\n")).isEqualTo(new ConsulVersion(1, 22));
        assertThat(ConsulVersion.of("Consul v2.0.0-rc1")).isEqualTo(new ConsulVersion(2, 0));
    }

    @Test
    void anotherProgramIsNoConsul() {
        assertThatThrownBy(() -> ConsulVersion.of("nomad v1.8.7"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nomad v1.8.7");
    }

    /**
     * An older agent refuses to start with a setting that it does not know. Since 1.14 servers
     * listen on a fixed gRPC port, which a second agent at this address could not use.
     */
    @ParameterizedTest
    @CsvSource({"1, 8, false", "1, 13, false", "1, 14, true", "2, 0, true"})
    void aVersionGetsOnlySettingsThatItKnows(int major, int minor, boolean later) {
        ConsulVersion version = new ConsulVersion(major, minor);
        assertThat(version.portsOff()).isEqualTo(later ? ", \"grpc_tls\": -1" : "");
        assertThat(version.featuresOff().contains("peering")).isEqualTo(later);
    }
}
