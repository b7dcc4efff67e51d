package io.flockgate.client.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flockgate.client.LeaseConfigException;
import io.flockgate.client.LeaseProvider;
import io.flockgate.testsupport.JavaSnippets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The code of the page of Java examples for Kubernetes. */
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
        Path base = Path.of(System.getProperty("basedir", ""));
        Path here = base.resolve("src/test/java/io/flockgate/client/kubernetes/KubernetesReadmeTest.java");

        assertThat(Files.readString(here)).contains(CODE.indent(8));
        for (String document : new String[] {"docs/guide/java-examples.md", "docs/guide/kubernetes.md"}) {
            assertThat(Files.readString(base.resolve("..").resolve(document))).contains(CODE);
        }
    }

    @Test
    void theExamplesOfTheJavadocCompile() throws Exception {
        JavaSnippets snippets = JavaSnippets.ofSources(Path.of("../client-kubernetes/src/main/java"));

        assertThat(snippets.types()).contains("KubernetesBackend", "KubernetesOptions");
        assertThat(snippets.errors(
                        List.of(
                                "io.flockgate.client.*",
                                "java.net.URI",
                                "java.time.Duration",
                                "java.util.*",
                                "io.flockgate.client.kubernetes.*"),
                        ""))
                .isEmpty();
    }
}
