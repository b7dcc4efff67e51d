package io.flockgate.client.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerAddressTest {
    @ParameterizedTest
    @CsvSource({
        "flockgate://gate-1, gate-1:6388",
        "flockgate://gate-1:, gate-1:6388",
        "flockgates://gate-1.example:7000, gate-1.example:7000",
        "flockgate://compose_gate_1:7000, compose_gate_1:7000",
        "flockgate://[::1], [::1]:6388",
        "flockgate://[::1]:7000, [::1]:7000"
    })
    void aHostIsANameOrAnAddress(String uri, String address) {
        assertThat(ServerAddress.of(URI.create(uri))).hasToString(address);
    }

    @ParameterizedTest
    @CsvSource({
        "flockgate:///, needs a host",
        "flockgate:gate-1, needs a host",
        "flockgate://_gate, needs a host",
        "flockgate://gate-1:0, and not 0",
        "flockgate://gate_1:65536, and not 65536",
        "flockgate://gate_1:x, needs a host",
        "flockgate://gate_1:1:2, needs a host",
        "flockgate://gate%201, needs a host",
        "flockgate://me:secret@gate-1, no user",
        "flockgate://me:secret@gate_1, needs a host",
        "flockgate://gate-1/path, nothing behind host and port",
        "flockgate://gate-1?x=1, nothing behind host and port"
    })
    void anythingElseIsRefused(String uri, String message) {
        assertThatThrownBy(() -> ServerAddress.of(URI.create(uri)))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("secret");
    }
}
