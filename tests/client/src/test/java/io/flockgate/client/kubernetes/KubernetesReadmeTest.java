package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.JavaSnippets;
import io.flockgate.testsupport.Repository;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of the examples for Kubernetes. */
final class KubernetesReadmeTest {
    private static final String CODE = """
            LeaseProvider leases = KubernetesBackend.connect(KubernetesOptions.inCluster());
            """;

    private static void connect() {
        LeaseProvider leases = KubernetesBackend.connect(KubernetesOptions.inCluster());
        leases.close();
    }

    @Test
    void theCodeCompilesAndRuns() {
        assertThatThrownBy(KubernetesReadmeTest::connect)
                .isInstanceOf(LeaseConfigException.class)
                .hasMessageContaining("not in a pod");
    }

    @Test
    void theReadmeAndTheGuideShowThisCode() throws Exception {
        assertThat(JavaSnippets.notShown(CODE, KubernetesReadmeTest.class, "docs/guide/kubernetes.md"))
                .isEmpty();
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Repository.file("client/kubernetes/src/main/java"));

        assertThat(snippets.types()).contains("KubernetesBackend", "KubernetesOptions");
        assertThat(snippets.errors(List.of("io.flockgate.client.kubernetes.*"), ""))
                .isEmpty();
    }
}
