package io.flockgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Back ends by scheme, with no other artifact than this one on the class path. */
class FlockgateTest {
    private static LeaseBackend backend(String server) {
        return Flockgate.backend(ConnectOptions.defaults(), List.of(URI.create(server)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"flockgate://h", "flockgates://h:1", "FLOCKGATE://my_host"})
    void theProtocolOfServersIsHere(String server) {
        try (LeaseBackend backend = backend(server)) {
            assertThat(backend).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource("kubernetes:///, flockgate-client-kubernetes")
    void anArtifactThatIsMissingIsNamed(String server, String artifact) {
        String scheme = URI.create(server).getScheme();
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessage(scheme + ":// needs io.flockgate:" + artifact + " on the class path");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://h", "h:6388", "/path"})
    void anotherSchemeIsAnsweredWithThoseThatAreKnown(String server) {
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("flockgate://, flockgates://, kubernetes://");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost:6388"})
    void anAddressWithoutASchemeIsAnsweredWithTheOneOfAGateway(String server) {
        assertThatThrownBy(() -> backend(server)).hasMessageEndingWith("is flockgate://" + server);
    }

    @Test
    void atLeastOneAddressIsNeeded() {
        assertThatThrownBy(() -> Flockgate.backend(ConnectOptions.defaults(), List.of()))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessage("at least one server is needed");
    }

    @Test
    void aLoggerHasTheNameOfItsTopic() {
        assertThat(LeaseEnvironment.system().logger("losses").getName()).isEqualTo("io.flockgate.client.losses");
    }
}
