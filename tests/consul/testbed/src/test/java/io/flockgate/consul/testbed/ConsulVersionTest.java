package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

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

    /** An older agent refuses to start with a setting that it does not know. */
    @Test
    void aVersionGetsOnlySettingsThatItKnows() {
        assertThat(new ConsulVersion(1, 8).portsOff()).isEmpty();
        assertThat(new ConsulVersion(1, 8).featuresOff()).isEmpty();
        assertThat(new ConsulVersion(1, 13).portsOff()).isEmpty();
        assertThat(new ConsulVersion(1, 13).featuresOff()).isEmpty();
        assertThat(new ConsulVersion(1, 14).featuresOff()).contains("peering");
    }

    /**
     * Since 1.14 servers listen on a fixed gRPC port, which a second agent at this address could
     * not use.
     */
    @Test
    void portsThatAgentsOfOneAddressWouldShareAreOff() {
        assertThat(new ConsulVersion(1, 14).portsOff()).isEqualTo(", \"grpc_tls\": -1");
        assertThat(new ConsulVersion(2, 0).portsOff()).isEqualTo(", \"grpc_tls\": -1");
    }
}
