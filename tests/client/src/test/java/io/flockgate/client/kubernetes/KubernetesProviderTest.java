package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.ConnectOptions;
import io.flockgate.client.Flockgate;
import io.flockgate.client.LeaseBackend;
import io.flockgate.client.LeaseConfigException;
import java.net.URI;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses of the scheme {@code kubernetes}. */
class KubernetesProviderTest {
    private static LeaseBackend backend(String... servers) {
        return Flockgate.backend(
                ConnectOptions.defaults().authToken("secret-token"),
                Arrays.stream(servers).map(URI::create).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes://api.example:6443/jobs, https://api.example:6443",
        "kubernetes://api.example/k8s/clusters/c-1/jobs, https://api.example/k8s/clusters/c-1"
    })
    void anAddressHasTheNamespaceAtTheEndOfItsPath(String address, String server) {
        try (LeaseBackend backend = backend(address)) {
            assertThat(backend.servers()).isEqualTo("the API server at " + server);
        }
    }

    /** Tests run outside a pod. */
    @ParameterizedTest
    @CsvSource({"kubernetes:///", "kubernetes:///jobs"})
    void withoutAHostTheProcessIsInAPod(String server) {
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("not in a pod");
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes://api.example, has the form",
        "kubernetes://api.example/, has the form",
        "kubernetes://api.example/a/, has the form",
        "kubernetes://api.example/jobs?x=1, has the form",
        "kubernetes://me:secret-token@api.example/jobs, has no user",
        "kubernetes:api.example, has the form"
    })
    void anotherFormIsRefusedAndShowsNoSecret(String server, String why) {
        assertThatThrownBy(() -> backend(server))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining(why)
                .hasMessageNotContaining("secret-token");
    }

    @Test
    void oneAddressIsEnough() {
        assertThatThrownBy(() -> backend("kubernetes://a/jobs", "kubernetes://b/jobs"))
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("one address");
    }
}
